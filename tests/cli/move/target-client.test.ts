import * as assert from 'uvu/assert';
import { openDryJournal } from '../../../src/cli/move/journal.ts';
import type { Move } from '../../../src/cli/move/move-command.ts';
import { openTarget } from '../../../src/cli/move/openmetadata/target-client.ts';
import { suite } from '../../support/suite.ts';

/** Shows how rows are sent that a service takes only in smaller parts, or not at all. */

const test = suite('cli: writing what was read elsewhere');

type Row = { readonly name: string };

/** Opens a target whose service answers to rows as told; the rows of each request are kept. */
const openWith = async (answer: (rows: readonly Row[]) => Response) => {
  const sent: (readonly string[])[] = [];
  const send = async (address: string, { body }: RequestInit): Promise<Response> => {
    if (address.endsWith('/openapi.json')) return Response.json({ paths: {}, components: { schemas: {} } });
    const rows = JSON.parse(String(body)) as Row[];
    sent.push(rows.map(({ name }) => name));
    return answer(rows);
  };
  const move = {
    command: 'import openmetadata',
    target: { server: 'http://catalog.example', token: 't', send },
    isDryRun: false,
    journal: openDryJournal(),
  } as unknown as Move;
  return { sent, target: await openTarget(move) };
};

const ROWS = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name }));

test('a request that is too large is sent in parts, and a row that is too large alone is refused', async () => {
  const { sent, target } = await openWith((rows) =>
    rows.length > 2 || rows.some(({ name }) => name === 'e')
      ? Response.json({ message: 'too large' }, { status: 413 })
      : Response.json({ failedRequest: [] }),
  );
  const { passed, refused } = await target.sendRows('table', 'tables/bulk', ROWS);
  assert.equal(sent, [['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c'], ['a', 'b'], ['c'], ['d', 'e'], ['d'], ['e']]);
  assert.equal([passed, refused.map(({ name }) => name)], [4, ['table e']]);
});

test('rows are refused one by one, and a caller who may write none is told so at once', async () => {
  const refuse = (status: number) => (rows: readonly Row[]) =>
    Response.json({
      failedRequest: rows.filter(({ name }) => name !== 'a').map((request) => ({ request, status, message: 'no' })),
    });
  const some = await openWith(refuse(403));
  const { passed, refused } = await some.target.sendRows('table', 'tables/bulk', ROWS);
  assert.equal([passed, refused.length], [1, 4]);
  const none = await openWith(refuse(403));
  const message = await none.target.sendRows('table', 'tables/bulk', ROWS.slice(1)).then(
    () => 'none',
    (failure: Error) => failure.message,
  );
  assert.is(message, 'Nothing was written: no');
});

test('other refusals of a request end the import', async () => {
  const { target } = await openWith(() => Response.json({ message: 'who?' }, { status: 401 }));
  const message = await target.sendRows('table', 'tables/bulk', ROWS).then(
    () => 'none',
    (failure: Error) => failure.message,
  );
  assert.match(message, /answered 401 to PUT \/v1\/tables\/bulk: who\?$/);
});

test.run();
