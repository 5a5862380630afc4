import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { createSamples } from '../support/samples.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a short page of history does not cost a statement for each state that is hidden. */

const test = suite('catalog: pages of history');

const TAG = 'PII.Sensitive';

test('a page behind many hidden states is found in few steps', async () => {
  const service = await openService();
  const rights = createRightsFactory(service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewBasic'], resources: ['topic'], condition: `matchAnyTag('${TAG}')` },
  ]);
  const samples = createSamples(service);
  const seen = await samples.create('topic', {});
  const startTs = Date.now();
  for (let at = 0; at < 20; at += 1) await samples.create('topic', { tags: [{ tagFQN: TAG }] });
  const sent = (): number =>
    [...service.allSent()].reduce((sum, [name, count]) => (/version\/list_/.test(name) ? sum + count : sum), 0);
  const before = sent();
  const path = '/v1/topics/history';
  const { data } = ok(await caller.get(`${path}?startTs=${startTs - 60_000}&endTs=${Date.now()}&limit=1`));
  assert.equal(
    data.map(({ id }: { readonly id: string }) => id),
    [seen.id],
  );
  assert.ok(sent() > before);
  assert.ok(sent() - before <= 6, `${sent() - before} statements`);
  await rights.clear();
});

test.run();
