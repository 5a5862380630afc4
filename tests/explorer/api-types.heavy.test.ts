import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { EXPLORER_API, generateTypes } from '../../scripts/explorer-types.ts';
import { ENVIRONMENTS } from '../clients/environments.ts';
import { ok } from '../support/expect.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the explorer is compiled against the kinds and the API of this program. */

const test = suite('explorer: types of the API');

const MEND = 'npm run types:explorer writes it anew';

let service: Service;

test.before(async () => {
  service = await openService();
});

const tools = await ENVIRONMENTS.apiDocument();
const CURRENT = 'the types of answers are those of the API document';
if ('missing' in tools) test.skipped(CURRENT, tools.missing);
else
  test(CURRENT, async () => {
    const document = ok(await service.admin.get('/openapi.json'));
    assert.is(await readFile(EXPLORER_API.schema, 'utf8'), await generateTypes(document), MEND);
  });

test.run();
