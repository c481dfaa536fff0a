import { isFiller } from "./filler.ts";
import { matchAt, one, type SecretRule } from "./secret-rule.ts";

const entry = /machine[ \t]{1,4}\S{1,128}\s{1,8}login\s{1,4}\S{1,128}\s{1,8}password\s{1,4}([^\s"'{<\\]\S{4,255})/y;

/** Entries of .netrc (GNU inetutils manual, "The .netrc file"). */
export const netrc: SecretRule = {
  keywords: ["machine "],
  look(text, at) {
    const [whole, value = ""] = matchAt(entry, text, at) ?? [];
    if (whole === undefined || isFiller(value) || /pass/i.test(value)) return null;
    const end = at + whole.length;
    return one("password", end - value.length, end, false);
  },
};
