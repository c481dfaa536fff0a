import { type PersonalRule, rangesOf } from "./personal-rule.ts";

/** `Author: Name <mail>` of git log, trailers of messages, `author Name <mail>` of raw commits and porcelain blame. */
const line =
  /^[ \t>+-]{0,12}(?:Author|Commit|Committer|Signed-off-by|Co-authored-by|Reviewed-by|Tested-by|Acked-by|Reported-by|author|committer|From):?[ \t]{1,6}([^\s<>:@][^<>\n:@]{0,80}?) {0,2}<[^<>\s]{3,200}>/dgm;
/** A line of git blame: `1a2b3c4d (Name 2020-01-01 ...`. */
const blame = /^\^?[0-9a-f]{7,40} [^()\n]{0,120}\(([^()\d\n]{2,60}?) {1,40}\d{4}-\d\d-\d\d /dgm;

/** Names of people in the history of a repository. */
export const commitName: PersonalRule = {
  find: (text) => [...rangesOf(line, text, () => true), ...rangesOf(blame, text, () => true)],
};
