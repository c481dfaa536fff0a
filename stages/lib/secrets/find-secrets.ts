import type { PersonalKind } from "../../../schemas/recipe/generate.ts";
import { personalRules } from "./personal/index.ts";
import { placeholdersIn } from "./placeholder.ts";
import { type Found, outside, united } from "./ranges.ts";
import { secretRules } from "./rules/index.ts";
import { createRuleScan } from "./rules/scan.ts";
import { createValueFinder, type ValueFinder } from "./value-finder.ts";

export interface SecretOptions {
  /** Values of known shape or telling name, see `rules`. */
  readonly secrets: boolean;
  /** Kinds of personal data. */
  readonly personal: readonly PersonalKind[];
  /** Exact texts that are secret, in every form they may take (`ownForms`). */
  readonly own: readonly string[];
}

const scanSecrets = createRuleScan(secretRules);

const ownFinders = new WeakMap<readonly string[], ValueFinder>();
function ownFinder(own: readonly string[]): ValueFinder {
  const known = ownFinders.get(own) ?? createValueFinder(own);
  ownFinders.set(own, known);
  return known;
}

/** All that is secret, or personal by the switches, in one text. */
export function findSecrets(text: string, { secrets, personal, own }: SecretOptions): Found[] {
  const found: Found[] = [];
  if (own.length > 0)
    for (const { start, end } of ownFinder(own).find(text)) found.push({ kind: "SECRET", type: "own-secret", start, end, sure: true });
  if (secrets) for (const { type, start, end, sure } of scanSecrets(text)) found.push({ kind: "SECRET", type, start, end, sure });
  for (const kind of personal)
    for (const { start, end } of personalRules[kind].find(text)) found.push({ kind: "PERSONAL", type: kind, start, end, sure: false });
  return found.length === 0 ? found : outside(united(found), placeholdersIn(text));
}

const tellingKey = /pass|pwd|secret|token|key|cred|auth/i;
const oneLine = /^[^\s"\\]{8,512}$/;

/** The value of a member whose key says that it is a secret as a whole: `{"password": "..."}` after parsing; null: it is not. */
export function memberSecret(key: string, value: string, options: SecretOptions): Found | null {
  if (!options.secrets || !tellingKey.test(key) || !oneLine.test(value)) return null;
  const before = `"${key}": "`;
  const [only] = findSecrets(`${before}${value}"`, options);
  const { length } = before;
  return only?.start === length && only.end === length + value.length ? { ...only, start: 0, end: value.length } : null;
}
