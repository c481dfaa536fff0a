/** Bump when an equal text would be scrubbed to another one. Part of stage 1's key, which needs none of the rules to be made. */
export const scrubVersion = 1;
