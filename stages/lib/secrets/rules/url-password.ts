import { looksLikePassword } from "../looks-random.ts";
import { isFiller } from "./filler.ts";
import { matchAt, one, type SecretRule } from "./secret-rule.ts";

const credentials = /:\/\/([^\s/:@'"<>\\{}`$,;()[\]|]{0,64}):([^\s/@'"<>\\{}`()[\]|]{4,256})@[A-Za-z0-9[_-]/y;

/** `scheme://user:password@host` (RFC 3986 3.2.1): databases, brokers, registries, remotes of git. */
export const urlPassword: SecretRule = {
  keywords: ["://"],
  look(text, at) {
    const found = matchAt(credentials, text, at);
    const [whole, user = "", password = ""] = found ?? [];
    if (whole === undefined || isFiller(password) || password.toLowerCase() === user.toLowerCase()) return null;
    const start = at + 3 + user.length + 1;
    return one("url-password", start, start + password.length, looksLikePassword(password));
  },
};
