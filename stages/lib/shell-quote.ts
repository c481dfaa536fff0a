/** One word for a POSIX shell, whatever is in it. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The same, left as it is where a shell would: for commands that people read. */
export const shellWord = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text));
