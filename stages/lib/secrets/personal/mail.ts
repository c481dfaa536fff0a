import { type PersonalRule, rangesOf } from "./personal-rule.ts";

/** Top-level domains of two letters and the usual longer ones: `12-@pytest.mark` is a decorator behind a line number. */
const address =
  /(?<![A-Za-z0-9._%+-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9][A-Za-z0-9-]{0,62}\.){1,4}(?:[A-Za-z]{2}|com|org|net|edu|gov|mil|int|info|biz|name|dev|app|cloud|tech|email|online|site|xyz|agency|systems|technology|solutions)(?![A-Za-z0-9-])/dg;

/** Nobody's: RFC 2606 names, accounts of machines, remotes of git. */
const nobody =
  /@(?:[\w.-]{0,190}\.)?(?:example|test|invalid|localhost)(?:\.[a-z]{2,3})?$|^(?:git|noreply|no-reply|root|hg|svn)@|@(?:users\.noreply\.github\.com|localhost)/i;
/** `icon@2x.js`: files, not hosts. */
const file = /\.(?:gz|js|ts|py|md|rs|go|sh|rb|cc|pl)$/i;

/** Mail addresses. */
export const mail: PersonalRule = {
  find: (text) => (text.includes("@") ? rangesOf(address, text, ([found]) => !nobody.test(found ?? "") && !file.test(found ?? "")) : []),
};
