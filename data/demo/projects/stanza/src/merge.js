/** A list whose items are to be added to what is there, instead of replacing it. */
export class Appended {
  constructor(items) {
    this.items = items;
  }
}

export function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Appended);
}

/** Lays `source` over `target`. Objects are merged; anything else replaces what was there. */
export function merge(target, source) {
  for (const [key, value] of Object.entries(source)) {
    if (isObject(value) && isObject(target[key])) {
      merge(target[key], value);
    } else if (value instanceof Appended) {
      if (!Array.isArray(target[key])) target[key] = [];
      target[key].push(...value.items);
    } else {
      target[key] = value;
    }
  }
  return target;
}
