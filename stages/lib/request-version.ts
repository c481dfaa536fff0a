/**
 * Bump when the wording in `condense-request.ts` changes: it is part of the key of every memory, and of what the student is trained to
 * answer. It stands apart because keys need no more of a request.
 */
export const requestVersion = 2;
