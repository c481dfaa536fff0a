import { decodedBase64 } from "../base64.ts";
import { beginsWord } from "../characters.ts";
import { entropyOf, wordShare } from "../looks-random.ts";
import { isFiller } from "./filler.ts";
import { type Looked, matchAt, one, type SecretRule } from "./secret-rule.ts";

const bearer = /bearer[ \t]{1,3}([A-Za-z0-9._~+/-]{16,4096}={0,2})/iy;
const basic = /basic[ \t]{1,3}([A-Za-z0-9+/]{8,1024}={0,2})/iy;
const stored = /(?:\\{0,3}"auth\\{0,3}"[ \t]{0,3}:[ \t]{0,3}\\{0,3}"|_auth[ \t]{0,2}=[ \t]{0,2}"?)([A-Za-z0-9+/]{8,1024}={0,2})/y;
const curlUser = /(?:-u|--user|--proxy-user)(?:[ \t]{1,3}|=)["']?([A-Za-z0-9_.@+-]{1,64}):([^\s'"$<{\\]{4,128})/y;

/** Prose goes on after "bearer", too: `bearer authentication_required`. */
const looksDrawn = (value: string): boolean =>
  (/\d/.test(value) || value.length >= 32) && (wordShare(value) < 0.65 || entropyOf(value) >= 4.5) && !isFiller(value);

function lookBearer(text: string, at: number): Looked | null {
  const [whole, value = ""] = matchAt(bearer, text, at) ?? [];
  if (whole === undefined || !looksDrawn(value)) return null;
  const end = at + whole.length;
  return one("bearer-token", end - value.length, end);
}

/** `pattern`: its one group. Only what decodes to `user:password` in printable characters (RFC 7617). */
function lookBasic(text: string, at: number, pattern: RegExp): Looked | null {
  const [whole, value = ""] = matchAt(pattern, text, at) ?? [];
  if (whole === undefined || !/^[\x20-\x7e]*:[\x20-\x7e]+$/.test(decodedBase64(value) ?? "")) return null;
  const end = at + whole.length;
  return one("basic-auth", end - value.length, end);
}

function lookCurl(text: string, at: number): Looked | null {
  const found = matchAt(curlUser, text, at);
  const [whole, user = "", password = ""] = found ?? [];
  if (whole === undefined || isFiller(password) || password === user) return null;
  const line = text.slice(Math.max(0, at - 300), at);
  if (!/\b(?:curl|wget|http)\b[^\n]*$/.test(line)) return null;
  const end = at + whole.length;
  return one("basic-auth", end - password.length, end, false);
}

/** HTTP credentials in headers (RFC 6750, RFC 7617), in the options of curl, in Docker's and npm's settings. */
export const authorization: SecretRule = {
  keywords: ["bearer ", "basic ", "-u ", "-u=", "--user ", "--user=", "--proxy-user ", '"auth', "_auth=", "_auth ="],
  look(text, at, keyword) {
    if (keyword.startsWith("-")) return lookCurl(text, at);
    if (keyword.includes("auth")) return lookBasic(text, at, stored);
    if (!beginsWord(text, at)) return null;
    return keyword === "bearer " ? lookBearer(text, at) : lookBasic(text, at, basic);
  },
};
