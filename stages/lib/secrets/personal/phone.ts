import { type PersonalRule, rangesOf } from "./personal-rule.ts";

/** International (E.164: 8 to 15 digits) with at least one separator, or North American with its separators. A `+` that opens a line is a diff's. */
const number =
  /(?<=[^\w\n+.-])\+\d{1,3}[ .-]\(?\d{1,4}\)?(?:[ .-]\d{2,4}){1,4}(?!\w)|(?<![\w.+/-])\(\d{3}\) ?\d{3}[ .-]\d{4}(?![\w.-])|(?<![\w.+/-])\d{3}-\d{3}-\d{4}(?![\w.-])/dg;

const digits = (text: string): number => text.replace(/\D/g, "").length;

/** Telephone numbers. */
export const phone: PersonalRule = {
  find: (text) => rangesOf(number, text, ([found = ""]) => digits(found) >= 8 && digits(found) <= 15 && !/555/.test(found)),
};
