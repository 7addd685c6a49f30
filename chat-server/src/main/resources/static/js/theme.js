import { browserSlot } from './storage.js';

/** Dark or light: as the system has it, or as the reader wants it. */

const NAMES = { auto: 'Automatic', light: 'Light', dark: 'Dark' };
const ORDER = Object.keys(NAMES);
const COLOURS = { light: '#fffdf9', dark: '#1b2023' };

const slot = browserSlot('theme');
const button = document.getElementById('theme');

let theme = ORDER.includes(slot.load()) ? slot.load() : 'auto';
apply();
button.onclick = () => {
  theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
  slot.save(theme);
  apply();
};

function apply() {
  document.documentElement.dataset.theme = theme;
  button.querySelector('use').setAttribute('href', `#icon-theme-${theme}`);
  button.querySelector('span').textContent = `Theme: ${NAMES[theme]}`;
  // The browser's own bars on a phone.
  for (const meta of document.querySelectorAll('meta[name=theme-color]')) {
    const own = meta.media.includes('dark') ? 'dark' : 'light';
    meta.content = COLOURS[theme === 'auto' ? own : theme];
  }
}
