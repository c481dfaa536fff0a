import { assigned } from "./assigned.ts";
import { authorization } from "./authorization.ts";
import { awsSecretKey } from "./aws-secret-key.ts";
import { base64Wrapped } from "./base64-wrapped.ts";
import { jwt } from "./jwt.ts";
import { netrc } from "./netrc.ts";
import { privateKey } from "./private-key.ts";
import { createRuleScan } from "./scan.ts";
import type { SecretRule } from "./secret-rule.ts";
import { tokenShapes } from "./token-shapes.ts";
import { tokens } from "./tokens.ts";
import { urlPassword } from "./url-password.ts";

const plainRules = {
  tokens,
  jwt,
  "private-key": privateKey,
  "aws-secret-key": awsSecretKey,
  authorization,
  "url-password": urlPassword,
  netrc,
  assigned,
} as const satisfies Record<string, SecretRule>;

const hints = [
  ...tokenShapes.flatMap(({ starts }) => starts).filter((start) => start.length >= 4),
  ...["-----BEGIN", "password", "PASSWORD", "passwd", "secret", "SECRET", "token", "TOKEN", "api_key", "API_KEY", "Bearer ", "://"],
];

const scanPlain = createRuleScan(plainRules);

/** Where several rules claim the same characters, the first here names them. */
export const secretRules = {
  ...plainRules,
  "base64-wrapped": base64Wrapped(hints, (text) => scanPlain(text).length > 0),
} as const satisfies Record<string, SecretRule>;
export type SecretRuleName = keyof typeof secretRules;
