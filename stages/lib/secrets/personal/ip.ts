import { type PersonalRule, rangesOf } from "./personal-rule.ts";

const version4 = /(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)/dg;
const version6 = /(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:){2,7}(?::?[0-9A-Fa-f]{1,4}){1,5}(?![\w:])/dg;

/** Nobody's in particular: loopback, private, link-local, documentation, multicast and reserved (RFC 1122, 1918, 3927, 5737, 5771, 6890). */
const shared =
  /^(?:0|10|127|2(?:2[4-9]|3\d|4\d|5\d)|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168|192\.0\.[02]|198\.51\.100|203\.0\.113|198\.1[89]|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;
const shared6 = /^(?:2001:0?db8|fe80|f[cd])/i;

const isAddress = (text: string): boolean => text.split(".").every((part) => Number(part) < 256 && !/^0\d/.test(part));
/** Version numbers: `1.2.0.0`, small throughout. */
const isVersion = (text: string): boolean => text.split(".").every((part) => Number(part) < 25);

/** Addresses of machines on the open internet. */
export const ip: PersonalRule = {
  find: (text) => [
    ...rangesOf(version4, text, ([found = ""]) => isAddress(found) && !shared.test(`${found}.`) && !isVersion(found)),
    ...rangesOf(
      version6,
      text,
      ([found = ""]) => !shared6.test(found) && (found.includes("::") ? /[0-9a-f]{3}/i.test(found) : found.split(":").length === 8),
    ),
  ],
};
