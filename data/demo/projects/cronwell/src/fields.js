const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/** The five fields in the order in which they are written. */
export const FIELDS = [
  { name: "minute", min: 0, max: 59, names: {} },
  { name: "hour", min: 0, max: 23, names: {} },
  { name: "dayOfMonth", min: 1, max: 31, names: {} },
  { name: "month", min: 1, max: 12, names: numbered(MONTHS, 1) },
  { name: "dayOfWeek", min: 0, max: 6, names: numbered(WEEKDAYS, 0) },
];

export const MACROS = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

export const MONTH_NAMES = [
  "January", "February", "March", "April", "May", "June",
  "July", "August", "September", "October", "November", "December",
];

export const WEEKDAY_NAMES = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

function numbered(names, first) {
  return Object.fromEntries(names.map((name, index) => [name, first + index]));
}
