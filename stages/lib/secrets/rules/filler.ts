/** Words that documentation and tests write where a secret would stand. */
const words = new Set(
  (
    "pass password passwd passphrase pwd secret token key apikey test tests testing user username admin root guest none null nil undefined true false " +
    "example changeme change-me changeit dummy fake foo bar baz foobar hidden redacted removed masked empty string default postgres mysql mypassword mypass yourpassword " +
    "your-password your_password my-password my_password some_password pw p4ssw0rd passw0rd pass1 pass1234 1234 12345 123456 1234567 12345678 123456789 qwerty thing abcd abc123"
  ).split(" "),
);

/** In small letters: keys of manuals that end in EXAMPLE are shaped like real ones, and nothing is lost with them. */
const mentions =
  /example|change_?me|placeholder|redacted|dummy|your[_-]|[_-]here\b|<|\$\{|\$\(|\{\{|%\(|xxxx|XXXX|\*\*\*|\.\.\.|\[SECRET:|\[PERSONAL:/;
const variable = /^(?:\$[A-Za-z_({]|%[a-z(%]|\{)/;

/** Is this something written in the place of a secret: a variable, a mask, a word? */
export const isFiller = (value: string): boolean =>
  words.has(value.toLowerCase()) || variable.test(value) || mentions.test(value) || /^(.)\1*$/.test(value);

/** Words joined by hyphens or underscores, with a short number behind: `my-test-key-1`. */
export const isPhrase = (value: string): boolean => /^[A-Za-z]+(?:[_-][A-Za-z]+)*[_-]?\d{0,4}$/.test(value);
