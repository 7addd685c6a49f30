/** What the browser keeps for us. A browser may forbid it all; then things last as long as the page. */

function slot(area, key) {
  let unsaved = null;
  return {
    load() {
      try {
        return JSON.parse(globalThis[area].getItem(key)) ?? unsaved;
      } catch {
        return unsaved;
      }
    },
    save(value) {
      unsaved = value;
      try {
        if (value === null) globalThis[area].removeItem(key);
        else globalThis[area].setItem(key, JSON.stringify(value));
      } catch {
        // Full or forbidden: `unsaved` has it.
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
