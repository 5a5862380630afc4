import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { blocksOf, readPages } from '../support/documentation.ts';
import { installProgram, readerEnvironment, runBlock } from '../support/documentation-commands.ts';
import { startCompanyService } from '../support/prepared-home.ts';
import { playInstance, type RecordedInstance } from '../support/recorded-instance.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows that every command of the pages «Coming from …» works, with instances whose answers were recorded. */

const test = suite('docs: coming from other catalogs');

const TOKEN = 'recorded';

let folder: string;
let service: ServiceProcess | undefined;
const instances: RecordedInstance[] = [];

/** What a page calls the other catalog, and its token. */
const PAGES = {
  'docs/move/from-marquez.md': { name: 'marquez', address: 'http://localhost:5000' },
  'docs/move/from-openmetadata.md': { name: 'openmetadata', address: 'https://metadata.example.com', token: 'eyJ...' },
} as const;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-move-'));
  await installProgram(folder);
  service = await startCompanyService(join(folder, '.tributary'));
});

test.after(async () => {
  for (const instance of instances) await instance.close();
  if (service) await stopServiceProcess(service, 'SIGTERM');
  await rm(folder, { recursive: true, force: true });
});

for (const [path, { name, address, ...more }] of Object.entries(PAGES)) {
  test(`the commands of ${path}, one after the other`, async () => {
    const token = 'token' in more ? more.token : undefined;
    const instance = await playInstance(name, token === undefined ? {} : { token: TOKEN });
    instances.push(instance);
    const page = readPages().filter((one) => one.path === path);
    const blocks = page.flatMap(blocksOf).filter(({ language }) => language === 'sh');
    assert.ok(blocks.length >= 3, `${blocks.length} blocks`);
    // Variables that a block exports stay for those after it, as in the shell of a reader.
    let variables = '';
    for (const { code } of blocks) {
      const adapted = code.replaceAll(address, instance.address).replaceAll(token ?? '\0', TOKEN);
      const {
        code: exitCode,
        output,
        errors,
      } = await runBlock(variables + adapted, { folder, env: readerEnvironment() });
      assert.is(exitCode, 0, `${adapted}\n${output}\n${errors}`);
      variables += (adapted.match(/^export .*\n/gm) ?? []).join('');
    }
    assert.equal(instance.missing, []);
  });
}

test('what came is there', async () => {
  const run = (code: string) => runBlock(code, { folder, env: readerEnvironment() });
  const lineage = await run('npx tributary lineage harbor_pg.port.public.calls --direction upstream --depth 1');
  assert.match(lineage.output, /harbor_lake\.RAW\.AIS\.POSITIONS/);
  const roasts = await run('npx tributary search daily_roasts --type table');
  assert.match(roasts.output, /roastery\.public\.daily_roasts/);
});

test.run();
