import { fileURLToPath } from 'node:url';
import css from '@eslint/css';
import mdn from '@mdn/browser-compat-data' with { type: 'json' };
import { ESLint } from 'eslint';
import compat from 'eslint-plugin-compat';
import esX from 'eslint-plugin-es-x';

/** The oldest browsers that client, page and dashboard are for, as docs/guide/client.md has them. */
const OLDEST = { safari: 15.4, safari_ios: 15.4, chrome: 105, edge: 105, firefox: 105 };

/** As browserslist has them. */
const TARGETS = Object.entries(OLDEST).map(([browser, version]) => `${browser === 'safari_ios' ? 'ios_saf' : browser} ${version}`);

/** The newest year whose features of CSS they have, with exceptions. */
const BASELINE = 2022;

/** Methods of arrays have the names of newer methods of iterators: by the name alone they cannot be told apart. */
const OF_ARRAYS = ['every', 'filter', 'find', 'flatmap', 'foreach', 'map', 'reduce', 'some'];

/** ES2023, and in all of them. */
const NEWER_AND_THERE = ['array-prototype-findlast-findlastindex'];

/** The data lists members of these objects under their types. */
const OBJECTS = { Crypto: 'crypto', Document: 'document', History: 'history', Location: 'location', Navigator: 'navigator', Performance: 'performance' };

/** eslint-plugin-compat does not check static methods such as URL.canParse, nor members of the objects above. */
const LACKING = Object.entries(mdn.api).flatMap(([type, members]) =>
  Object.entries(members)
    .filter(([name, { __compat }]) => __compat && (name.endsWith('_static') || type in OBJECTS) && !isSupported(__compat.support))
    .map(([name]) => ({ object: name.endsWith('_static') ? type : OBJECTS[type], property: name.replace(/_static$/, '') })),
);

function isSupported(support) {
  return Object.entries(OLDEST).every(([browser, oldest]) => {
    const since = [support[browser]].flat().find(({ flags, partial_implementation: partial }) => !flags && !partial)?.version_added;
    return since && parseFloat(since.replace('≤', '')) <= oldest;
  });
}

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Refuses what the oldest of these browsers lacks: syntax, objects and methods of scripts; properties, values and selectors of styles. */
export const linter = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [
    {
      files: ['**/*.js'],
      languageOptions: { ecmaVersion: 2022, sourceType: 'module' },
      plugins: { compat, 'es-x': esX },
      settings: { targets: TARGETS, 'es-x': { aggressive: true } },
      rules: {
        ...esX.configs['flat/restrict-to-es2022'].rules,
        ...Object.fromEntries(OF_ARRAYS.map((name) => [`es-x/no-iterator-prototype-${name}`, 'off'])),
        ...Object.fromEntries(NEWER_AND_THERE.map((name) => [`es-x/no-${name}`, 'off'])),
        // Of ES2022 and before, and not in Safari 15.4.
        'es-x/no-class-static-block': 'error',
        'es-x/no-regexp-lookbehind-assertions': 'error',
        'compat/compat': 'error',
        'no-restricted-properties': ['error', ...LACKING],
      },
    },
    {
      files: ['**/*.css'],
      language: 'css/css',
      plugins: { css },
      rules: {
        'css/use-baseline': [
          'error',
          {
            available: BASELINE,
            // A browser without them shows the page a little less well.
            allowProperties: ['outline', 'overflow-anchor', 'overscroll-behavior', 'resize', 'user-select'],
            allowSelectors: ['has'],
            // Another value stands before them, for those without.
            allowPropertyValues: { float: ['inline-end'] },
            allowFunctions: ['oklch'],
          },
        ],
      },
    },
  ],
});

/** One line for each complaint. */
export const complaints = (results) =>
  results.flatMap(({ filePath, messages }) => messages.map(({ line, message }) => `${filePath.replace(root, '')}:${line} ${message}`));
