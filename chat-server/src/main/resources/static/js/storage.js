/** The browser's storage. If the browser forbids it, data lasts as long as the page. */

/** Values that the browser did not keep, by area and key. They take precedence over the stored ones. */
const unsaved = new Map();

function slot(area, key) {
  const name = `${area} ${key}`;
  return {
    load() {
      if (unsaved.has(name)) return unsaved.get(name);
      try {
        return JSON.parse(globalThis[area].getItem(key));
      } catch {
        return null;
      }
    },

    /** Returns whether it will be there after a reload. */
    save(value) {
      unsaved.delete(name);
      try {
        if (value === null) globalThis[area].removeItem(key);
        else globalThis[area].setItem(key, JSON.stringify(value));
        return true;
      } catch {
        // Full or forbidden.
        unsaved.set(name, value);
        return value === null;
      }
    },
  };
}

/** Kept by this tab, over reloads. */
export const tabSlot = (name) => slot('sessionStorage', `confab.${name}`);

/** Kept by this browser. */
export const browserSlot = (name) => slot('localStorage', `confab.${name}`);

/** This tab's storage as it is, or null where the browser forbids it. */
export function tabArea() {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}
