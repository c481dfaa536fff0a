import type { PersonalKind } from "../../../../schemas/recipe/generate.ts";
import { commitName } from "./commit-name.ts";
import { homePath } from "./home-path.ts";
import { ip } from "./ip.ts";
import { mail } from "./mail.ts";
import type { PersonalRule } from "./personal-rule.ts";
import { phone } from "./phone.ts";

/** Kinds of personal data, each with a switch of its own; names as the recipe's `generate.scrub.personal` has them. */
export const personalRules = {
  "commit-name": commitName,
  mail,
  phone,
  ip,
  "home-path": homePath,
} as const satisfies Record<PersonalKind, PersonalRule>;
