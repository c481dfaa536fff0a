import { characters, runEnd, runStart } from "../characters.ts";
import { distinct, looksLikePassword, looksRandom } from "../looks-random.ts";
import { isFiller, isPhrase } from "./filler.ts";
import { type Looked, matchAt, one, type SecretRule } from "./secret-rule.ts";

const alphanumeric = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const nameCharacters = characters(`${alphanumeric}_-.`);
const bareCharacters = characters(`${alphanumeric}+/=_-.~!@#$%^*?`);

const nameLimit = 48;
/** Longest value that is taken; a connection string or a key of a cloud is shorter. Our choice. */
const valueLimit = 512;
const longValue = 64;
const shortest = 8;
/** In a line that sets a password and nothing else. */
const shortestSet = 6;

/** From the end of the name to the first character of the value: closing quote, a type, the sign, an opening quote. */
const sign =
  /(?:\\{0,3}["'`])?\]?(?::[ \t]{0,2}(?:str|string|String|Optional\[str\])(?=[ \t]{0,2}=))?[ \t]{0,12}(:=|=>|={1,3}|!==?|:|,)[ \t]{0,12}[bruf]{0,2}(\\{0,3})(["'`])?/y;
/** `--password VALUE` of a command. */
const flagged = /[ \t]{1,2}(["'])?/y;

const passwordName = /pass|pwd/i;
/** `EXPORTED_NAME=value` as in .env files, shells and compose files: the whole line says what it is. */
const settingName = /^[A-Z][A-Z0-9_]*$/;

interface Value {
  readonly text: string;
  readonly start: number;
  readonly quoted: boolean;
}

function quotedValue(text: string, start: number, quote: string): Value | null {
  const stop = Math.min(text.length, start + valueLimit);
  let end = start;
  for (; end < stop; end += 1) {
    const character = text[end];
    if (character === quote || character === "\\") break;
    if (character === "\n") return null;
  }
  return end === stop ? null : { text: text.slice(start, end), start, quoted: true };
}

function bareValue(text: string, start: number): Value | null {
  let end = runEnd(text, start, bareCharacters, valueLimit);
  if (text[end] === "(" || text[end] === "[" || text[end] === "{") return null; // code that makes the value
  while (end > start && /[.,:;?]/.test(text[end - 1] ?? "")) end -= 1;
  return { text: text.slice(start, end), start, quoted: false };
}

/** Names with a digit or a sign in them and no blank, too uneven for a word: what somebody sets as a password in a settings file. */
const looksSet = (value: string): boolean => /\d/.test(value) && /[A-Za-z]/.test(value) && distinct(value) >= 6;

/** A path, an address, a reference into a program: long and varied, and no secret. */
const looksPlaced = (value: string): boolean =>
  /^(?:[a-z]{2,12}:\/\/|\.{0,2}\/[a-z]|[~@]\/)/i.test(value) || /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value);

/** Digests name content, not secrets: `sha256:...`, `sha512-...`; and dates. */
const digest = /^(?:(?:sha\d{1,3}|md5)[-:]|\d{4}-\d\d-\d\d(?:$|T))/i;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Issuers that give out UUIDs as keys: Heroku, older npm. Elsewhere a UUID after "token" is a request's number. */
const uuidName = /api_?key|authtoken/i;

function isSecret(name: string, { text, quoted }: Value, by: string): boolean {
  if (/\s/.test(text) || isFiller(text)) return false;
  const isSetting = !quoted && settingName.test(name) && by === "=";
  const isPassword = passwordName.test(name);
  if (isSetting && looksSet(text) && text.length >= (isPassword ? shortestSet : shortest) && !looksPlaced(text)) return true;
  if (text.length < shortest || looksPlaced(text) || isPhrase(text) || digest.test(text)) return false;
  if (uuid.test(text)) return uuidName.test(name);
  return isPassword ? looksLikePassword(text) : looksRandom(text);
}

/** Words after which a value is public whatever it looks like: ids, names, digests, places, counts. */
const publicName =
  /(?:_?(?:id|ids|name|names|path|file|dir|url|uri|type|class|hash|digest|checksum|count|length|size|limit|field|header|prefix|expir\w*|regex|pattern|format)|tokens|tokeniz\w*)$|(?:next|continuation|page|request|change|update|sync|cancel\w*|verification|grant|action)[_-]?token$/i;

/** Named values: `DB_PASSWORD=...`, `"apiKey": "..."`, `X-Api-Key: ...`, `--token ...`, by name and entropy. */
export const assigned: SecretRule = {
  keywords: [
    ...["password", "passwd", "passphrase", "pwd", "_pass", "secret", "token", "credential"],
    ...["api_key", "apikey", "api-key", "access_key", "accesskey", "access-key", "private_key", "privatekey", "auth_key", "authkey"],
    ...["account_key", "accountkey", "signing_key", "signingkey", "encryption_key", "encryptionkey", "shared_key", "_key=", "_auth="],
  ],
  look(text, at, keyword): Looked | null {
    const sized = keyword.endsWith("=") ? keyword.length - 1 : keyword.length;
    const nameStart = runStart(text, at, nameCharacters, nameLimit);
    const nameEnd = runEnd(text, at + sized, nameCharacters, nameLimit);
    const name = text.slice(nameStart, nameEnd);
    if (publicName.test(name)) return null;
    const found = matchAt(sign, text, nameEnd) ?? (name.startsWith("--") ? matchAt(flagged, text, nameEnd) : null);
    if (found === null) return null;
    const quote = found[3] ?? (found.length === 2 ? found[1] : undefined);
    const by = found.length === 2 ? " " : (found[1] ?? "");
    const start = nameEnd + found[0].length;
    // An argument is quoted; what follows a colon at once is the rest of an address or a slice.
    if (quote === undefined && (by === "," || (by === ":" && found[0].endsWith(":")))) return null;
    const value = quote === undefined ? bareValue(text, start) : quotedValue(text, start, quote);
    // A long value without a blank is one value, whatever names are in it.
    if (value !== null && value.text.length >= longValue && !value.quoted && !isSecret(name, value, by))
      return { findings: [], until: start + value.text.length };
    if (value === null || !isSecret(name.replace(/^-+/, ""), value, by)) return null;
    return one("password", start, start + value.text.length, looksLikePassword(value.text));
  },
};
