import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('..', import.meta.url));

describe('the npm package, installed in an empty directory', () => {
  let app;
  let installed;
  const run = (cwd, program, ...args) => execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const read = (file) => readFileSync(join(installed, file), 'utf8');

  before(() => {
    app = mkdtempSync(join(tmpdir(), 'confab-package-'));
    const [{ filename }] = JSON.parse(run(source, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', app));
    writeFileSync(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }));
    run(app, 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(app, filename));
    installed = join(app, 'node_modules', 'confab-client');
  });
  after(() => rmSync(app, { recursive: true, force: true }));

  test('has program, types, license and what a registry shows', () => {
    const manifest = JSON.parse(read('package.json'));
    for (const field of ['description', 'keywords', 'license', 'author', 'types', 'exports', 'files', 'engines']) assert.ok(manifest[field], field);
    assert.equal(manifest.dependencies, undefined);
    assert.equal(read('LICENSE'), readFileSync(new URL('../../LICENSE', import.meta.url), 'utf8'));
    for (const path of [manifest.main, manifest.types, ...Object.values(manifest.exports['.'])]) assert.ok(existsSync(join(installed, path)), path);
  });

  test('gets its repository and version where it is released', () => {
    const release = readFileSync(new URL('../../.github/workflows/release.yml', import.meta.url), 'utf8');
    assert.match(release, /npm pkg set version=[^]*repository\.url="git\+https:\/\/github\.com\/\$GITHUB_REPOSITORY\.git"[^]*npm pack/);
  });

  test('has a README whose links lead somewhere outside of the repository, too', () => {
    const links = [...read('README.md').matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target);
    assert.ok(links.length > 0);
    for (const target of links) assert.ok(/^https:\/\//.test(target) || existsSync(join(installed, target)), target);
  });

  test('can be imported in Node.js by its name', () => {
    const program = "import { ConfabClient, ConfabError, uuidV7 } from 'confab-client'; console.log(typeof ConfabClient, typeof ConfabError, uuidV7().length)";
    assert.equal(run(app, process.execPath, '--input-type=module', '-e', program).trim(), 'function function 36');
  });

  test('has types that compile, for Node.js and for bundlers, with and without those of a browser', () => {
    const program = readFileSync(new URL('types.ts', import.meta.url), 'utf8').replace("'../confab.js'", "'confab-client'");
    writeFileSync(join(app, 'app.ts'), program);
    mkdirSync(join(app, 'plain'));
    writeFileSync(join(app, 'plain', 'app.ts'), "import { ConfabClient } from 'confab-client';\nexport const client = new ConfabClient('wss://chat.example', { fetch: null });\n");
    const tsc = join(source, 'node_modules', '.bin', 'tsc');
    const common = ['--noEmit', '--strict', '--target', 'es2022', '--types', ''];
    run(app, tsc, ...common, '--lib', 'es2022,dom', '--module', 'nodenext', 'app.ts');
    run(app, tsc, ...common, '--lib', 'es2022,dom', '--module', 'esnext', '--moduleResolution', 'bundler', 'app.ts');
    run(app, tsc, ...common, '--lib', 'es2022', '--module', 'nodenext', 'plain/app.ts');
  });
});
