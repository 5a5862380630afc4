import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Kind } from '../../src/model/kind/kind.ts';
import { readMarks } from '../../src/search/maintenance/queries.ts';
import { refreshDocuments } from '../../src/search/maintenance/refresh-documents.ts';
import { probeCapabilities } from '../../src/search/typesense/capabilities.ts';
import { createTypesenseClient, type TypesenseClient, TypesenseFault } from '../../src/search/typesense/client.ts';
import {
  collectionAliasOf,
  collectionNameFor,
  collectionSchemaFor,
} from '../../src/search/typesense/collection-schema.ts';
import { createTypesenseEngine, type TypesenseEngine } from '../../src/search/typesense/engine.ts';
import type { TypesenseEngineOptions } from '../../src/search/typesense/engine-state.ts';
import { createIndexer } from '../../src/search/typesense/indexer.ts';
import type { EngineQuery } from '../../src/search/typesense/plan-searches.ts';
import { deleteUnsent, markUnsent, readFeeding, updateFeeding } from '../../src/search/typesense/queries.ts';
import { ok } from '../support/expect.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { clearTypesense, openTypesense, type TypesenseServer } from '../support/typesense.ts';
import { openUnresponsiveHost } from '../support/unresponsive-host.ts';

/** Shows that the Typesense engine is filled, queried and left on failure. */

const test = suite('search: Typesense engine');

const given = await openTypesense();

const ANYTHING: EngineQuery = {
  q: { is: 'all' },
  filter: { is: 'all' },
  postFilter: { is: 'all' },
  sort: { by: 'property', member: 'nameSort', isAscending: true },
  behind: null,
  from: 0,
  size: 100,
  aggregates: false,
};

let service: Service;
let typesense: TypesenseClient;
let glossary: Kind;
const logged: string[] = [];
const opened: { readonly engine: TypesenseEngine; readonly prefix: string }[] = [];

/** Says which server is fed; it takes no more than one to be fed at a time. */
const feeding = (server: string | null) =>
  service.graph.write((transaction) => transaction.run(updateFeeding, { rows: [{ server }] }));

type Opening = {
  readonly prefix?: string;
  readonly options?: TypesenseEngineOptions;
  readonly client?: TypesenseClient;
};

/** A client of the same server that counts the calls. */
const countingClient = (): { readonly client: TypesenseClient; calls(): number } => {
  let calls = 0;
  const counted = Object.entries(typesense).map(([name, call]) => [
    name,
    (...args: never[]) => {
      calls += 1;
      return Reflect.apply(call, typesense, args);
    },
  ]);
  return { client: Object.fromEntries(counted) as TypesenseClient, calls: () => calls };
};

const open = async ({ prefix = `${uniqueName('t')}_`, options = {}, client = typesense }: Opening = {}) => {
  const engine = createTypesenseEngine({
    typesense: client,
    graph: service.graph,
    kinds: [glossary],
    prefix,
    server: prefix,
    log: { warn: (message) => logged.push(message) },
    options: { surveyTtlMs: 0, lagMs: 60_000, ...options },
  });
  opened.push({ engine, prefix });
  await feeding(prefix);
  return { engine, prefix };
};

const create = async (name = uniqueName('terms'), description = 'words'): Promise<{ id: string; name: string }> =>
  ok(await service.admin.post('/v1/glossaries', { name, displayName: name, description }), 201);

const always = () => true;
const feedOf = (...ids: string[]) => ids.map((id) => ({ id, entityType: 'glossary' }));

/** The ids of what the engine finds; the answer must be its own. */
const found = async (engine: TypesenseEngine, question: Partial<EngineQuery> = {}): Promise<readonly string[]> => {
  await engine.survey();
  const answer = await engine.answer({ ...ANYTHING, ...question }, [glossary], Date.now());
  if (!answer) throw new Error('the engine has left it to the graph');
  return answer.rows.map(({ id }) => id);
};

const named = (name: string): Partial<EngineQuery> => ({
  filter: { is: 'term', field: 'name.keyword', values: [name], anyCase: false },
});

const until = async (what: string, isSo: () => Promise<boolean>): Promise<number> => {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > PATIENCE_MS) throw new Error(`${what} did not come about`);
    await sleep(20);
  }
  return performance.now() - began;
};

/** Does what the refresher does for what is marked. */
const settle = async (...ids: string[]) => {
  const marks = await service.graph.read(readMarks, { ids });
  assert.is(marks.length, ids.length, 'every change leaves a mark');
  await refreshDocuments(service.app.engine, marks);
};

const kindOfFault = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'none';
  } catch (failure) {
    return failure instanceof TypesenseFault ? failure.kind : String(failure);
  }
};

const withServer = (server: TypesenseServer) => {
  test.before(async () => {
    service = await openService();
    const kind = service.registry.byType.get('glossary');
    if (!kind) throw new Error('there are no glossaries');
    glossary = kind;
    typesense = createTypesenseClient({ url: server.url, apiKey: server.apiKey });
  });

  test('capabilities of the server are probed without leaving anything behind', async () => {
    const prefix = `${uniqueName('p')}_`;
    const can = await probeCapabilities(typesense, prefix, Date.now());
    assert.match(can.version, /^\d/);
    assert.ok(can.filters, 'what everything rests on');
    assert.ok(can.sorting && can.facets && can.ranking && can.typing, JSON.stringify(can));
    assert.is(can.sumScore, Number.parseFloat(can.version) >= 27, 'servers before 27 ignore this ranking');
    assert.equal(
      (await typesense.collections()).filter(({ name }) => name.startsWith(prefix)),
      [],
    );
  });

  test('failures are classified', async () => {
    const search = (more: Record<string, string | number>) =>
      typesense.search([{ collection: 'none', q: '*', ...more }]);
    assert.is(await kindOfFault(search({})), 'behind');
    const name = `${uniqueName('f')}`;
    await typesense.createCollection(collectionSchemaFor(glossary, name));
    assert.is(await kindOfFault(search({ collection: name, filter_by: 'unknown:=1' })), 'behind');
    assert.is(await kindOfFault(search({ collection: name, per_page: 100_000 })), 'refused');
    assert.is(await kindOfFault(typesense.createCollection(collectionSchemaFor(glossary, name))), 'refused');
    await typesense.dropCollection(name);
    const stranger = createTypesenseClient({ url: server.url, apiKey: 'not-the-key' });
    assert.is(await kindOfFault(stranger.version()), 'refused');
    stranger.close();
    const away = createTypesenseClient({ url: 'http://127.0.0.1:9', apiKey: 'x' });
    assert.is(await kindOfFault(away.version()), 'away');
    away.close();
    const deaf = await openUnresponsiveHost();
    const hasty = createTypesenseClient({ url: `http://127.0.0.1:${deaf.port}`, apiKey: 'x', askMs: 50, workMs: 50 });
    assert.is(await kindOfFault(hasty.collections()), 'away');
    hasty.close();
    await deaf.close();
  });

  test('every line of an import response is checked', async () => {
    const name = uniqueName('l');
    await typesense.createCollection(collectionSchemaFor(glossary, name));
    const lines = await typesense.importLines(
      name,
      ['{"id":"a","popularity":1}', '{"id":"b"}', '{"id":"c","popularity":2}'],
      'create',
    );
    assert.equal(
      lines.map(({ success }) => success),
      [true, false, true],
    );
    assert.match(lines[1]?.error ?? '', /popularity/);
    const [again] = await typesense.importLines(name, ['{"id":"a","popularity":9}'], 'create');
    assert.is(again?.code, 409);
    await typesense.dropCollection(name);
  });

  test('an export tells of all documents that stay while others are removed', async () => {
    const name = uniqueName('e');
    await typesense.createCollection(collectionSchemaFor(glossary, name));
    const ids = Array.from({ length: 4000 }, (_, at) => `record-${at}`);
    const lines = ids.map((id, at) => `{"id":"${id}","popularity":1,"revision":${at}}`);
    await typesense.importLines(name, lines, 'create');
    const [stay, go] = [ids.slice(0, 3000), ids.slice(3000)];
    // Servers 28 and 29 end an export where a document is gone, which must be told from a whole one.
    const exported = typesense.revisions(name).catch(({ message }: Error) => {
      assert.match(message, /ended early/);
      return undefined;
    });
    const [known] = await Promise.all([exported, typesense.deleteDocuments(name, go)]);
    if (known) {
      assert.equal(
        stay.filter((id, at) => known.get(id) !== at),
        [],
      );
      assert.ok([...known.keys()].every((id) => id.startsWith('record-')));
    }
    assert.equal([...(await typesense.revisions(name)).keys()].sort(), [...stay].sort());
    await typesense.dropCollection(name);
  });

  test('there is no answer before a collection is live, and then all records are found', async () => {
    const { engine } = await open();
    const { id, name } = await create();
    await engine.survey();
    assert.is(await engine.answer(ANYTHING, [glossary], Date.now()), undefined);
    assert.equal(await engine.unserved(), [glossary]);
    const [done] = await engine.rebuild([glossary]);
    assert.ok(done && done.documents > 0 && done.previous === undefined);
    assert.equal(await engine.unserved(), []);
    assert.equal(await found(engine, named(name)), [id]);
    assert.equal(await engine.compare(glossary), { documents: done.documents, missing: [], outdated: [], extra: [] });
  });

  test('many records are sent in batches, and progress is reported', async () => {
    const { engine } = await open();
    for (let count = 0; count < 8; count += 1) await create();
    const told: number[] = [];
    const [done] = await engine.rebuild([glossary], { batch: 3, progress: (sent) => told.push(sent) });
    assert.ok(told.length >= 3 && told.at(-1) === done?.documents, JSON.stringify(told));
    assert.is((await found(engine, { size: 1000 })).length, done?.documents);
  });

  test('an indexed record is found in its new state, and a removed one is gone', async () => {
    const { engine } = await open();
    await engine.rebuild([glossary]);
    const { id, name } = await create();
    assert.equal((await engine.compare(glossary))?.missing, [id]);
    assert.equal(await engine.feed(feedOf(id), always), []);
    assert.equal(await found(engine, named(name)), [id]);
    ok(await service.admin.delete(`/v1/glossaries/${id}`));
    assert.equal((await engine.compare(glossary))?.outdated, [id]);
    await engine.feed(feedOf(id), always);
    const deleted: Partial<EngineQuery> = { filter: { is: 'term', field: 'deleted', values: [true], anyCase: false } };
    assert.ok((await found(engine, deleted)).includes(id));
    ok(await service.admin.delete(`/v1/glossaries/${id}?hardDelete=true&recursive=true`));
    assert.equal((await engine.compare(glossary))?.extra, [id]);
    await engine.feed(feedOf(id), always);
    assert.equal(await found(engine, named(name)), []);
    assert.equal(await engine.feed(feedOf(id), always), [], 'once more does no harm');
  });

  test('an older state never replaces a newer one', async () => {
    const { engine } = await open();
    const { id, name } = await create();
    await engine.rebuild([glossary]);
    const collection = (await engine.survey()).serving.get(glossary)?.name ?? '';
    const newer = `{"id":"${id}","popularity":1,"revision":1000,"terms__h":["x"],"payload":"{}"}`;
    await typesense.importLines(collection, [newer], 'upsert');
    await engine.feed(feedOf(id), always);
    assert.is((await typesense.revisions(collection)).get(id), 1000);
    assert.equal(await found(engine, named(name)), []);
    await typesense.importLines(collection, [newer.replace('1000', '1')], 'upsert');
    await engine.feed(feedOf(id), always);
    assert.equal(await found(engine, named(name)), [id], 'one of the same age or older is');
    assert.match(
      await engine.feed(feedOf(id), () => false).then(String, (failure: Error) => failure.message),
      /right to write/,
      'and who has lost the right does not write',
    );
  });

  test('a rebuild during changes loses none of them, and switches at once', async () => {
    const { engine } = await open();
    await engine.rebuild([glossary]);
    const before = (await engine.survey()).serving.get(glossary)?.name;
    const made: string[] = [];
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        const { id } = await create();
        made.push(id);
        await engine.feed(feedOf(id), always);
      }
    })();
    const reading = (async () => {
      let least = Number.POSITIVE_INFINITY;
      while (!isOver) least = Math.min(least, (await found(engine)).length);
      return least;
    })();
    await until('a few writes', async () => made.length > 3);
    const [done] = await engine.rebuild([glossary]);
    isOver = true;
    await writing;
    assert.ok((await reading) > 0, 'there was always something that served');
    assert.is(done?.previous, before);
    assert.not.equal((await engine.survey()).serving.get(glossary)?.name, before);
    const difference = await engine.compare(glossary);
    assert.equal([difference?.missing, difference?.outdated, difference?.extra], [[], [], []]);
    const old = (await engine.survey()).unused.map(({ name }) => name);
    assert.equal(old, [before], 'what served before is kept for a while');
    assert.equal(await engine.deleteUnused(3_600_000), [], 'and is too young to be swept away');
    assert.equal(await engine.deleteUnused(-1), [before]);
  });

  test('the former collection is dropped after a delay', async () => {
    const { engine } = await open({ options: { keepMs: 50 } });
    await engine.rebuild([glossary]);
    await engine.rebuild([glossary]);
    await until('the end of the old collection', async () => (await engine.survey()).unused.length === 0);
  });

  test('a beginning of more words than the server looks at is left to the graph', async () => {
    const { engine } = await open();
    await engine.rebuild([glossary]);
    const collection = (await engine.survey()).serving.get(glossary)?.name ?? '';
    const letter = (digit: number) => String.fromCharCode(97 + (Math.floor(digit) % 26));
    const payload = JSON.stringify({ entityType: 'glossary', name: 'x', popularity: 1, numbers: {} });
    const lines = Array.from({ length: 1600 }, (_, at) => {
      const word = `wide${letter(at / 676)}${letter(at / 26)}${letter(at)}`;
      return JSON.stringify({ id: `wide-${at}`, popularity: 1, revision: 1, words_name: word, payload });
    });
    await typesense.importLines(collection, lines, 'create');
    const ask = (text: string, more: Partial<EngineQuery> = {}) => {
      const q = { is: 'simple', text } as const;
      const sort = { by: 'score', member: '', isAscending: false } as const;
      return engine.answer({ ...ANYTHING, q, sort, ...more }, [glossary], Date.now());
    };
    for (const aggregates of [false, true]) {
      assert.is(await ask('wide', { aggregates }), undefined);
      assert.ok(((await ask('widebxy', { aggregates }))?.total ?? 0) > 0);
    }
  });

  test('a cancelled rebuild changes nothing', async () => {
    const { engine } = await open();
    await engine.rebuild([glossary]);
    const before = (await engine.survey()).serving.get(glossary)?.name;
    await assertRejects(engine.rebuild([glossary], { isWanted: () => false }), /called off/);
    const survey = await engine.survey();
    assert.is(survey.serving.get(glossary)?.name, before);
    assert.equal(survey.unused, []);
  });

  test('an alias does not replace a collection, and a dangling one serves nothing', async () => {
    const { engine, prefix } = await open();
    const alias = collectionAliasOf(prefix, glossary);
    await typesense.createCollection(collectionSchemaFor(glossary, alias));
    await assertRejects(engine.rebuild([glossary]), /has a collection where an alias is to be/);
    await typesense.dropCollection(alias);
    await typesense.setAlias(alias, collectionNameFor(prefix, glossary, Date.now()));
    assert.equal(await engine.unserved(), [glossary]);
    await engine.rebuild([glossary]);
    assert.equal(await engine.unserved(), []);
  });

  test('a search of a missing collection is left to the graph, and the loss is noticed', async () => {
    const { engine } = await open({ options: { surveyTtlMs: 600_000 } });
    await engine.rebuild([glossary]);
    await typesense.dropCollection((await engine.survey()).serving.get(glossary)?.name ?? '');
    assert.is(await engine.answer(ANYTHING, [glossary], Date.now()), undefined);
    await until('the next look', async () => (await engine.unserved()).length === 1);
  });

  test('the indexer fills empty collections and sends changes', async () => {
    const { engine, prefix } = await open();
    await feeding('another server');
    const indexer = createIndexer({
      graph: service.graph,
      engine,
      log: { warn: (message) => logged.push(message) },
      options: { maintainMs: 100, awayMs: 200 },
    });
    indexer.start();
    await until('the first fill', async () => (await service.graph.read(readFeeding, {}))[0]?.server === prefix);
    assert.equal(await engine.unserved(), []);
    const { id, name } = await create();
    // The note is written where the mark of a change is taken away.
    await settle(id);
    indexer.wake();
    const ms = await until('the sending', async () => (await found(engine, named(name))).length === 1);
    console.log(`  a change was sent within ${Math.round(ms)} ms`);
    ok(await service.admin.delete(`/v1/glossaries/${id}?hardDelete=true&recursive=true`));
    await settle(id);
    await until('the removal', async () => (await found(engine, named(name))).length === 0);
    await indexer.stop();
  });

  test('any difference is found and sent', async () => {
    const { engine } = await open();
    await engine.rebuild([glossary]);
    const [lost, ghost] = [await create(), '00000000-0000-4000-8000-000000000000'];
    const collection = (await engine.survey()).serving.get(glossary)?.name ?? '';
    await typesense.importLines(collection, [`{"id":"${ghost}","popularity":1,"revision":1}`], 'upsert');
    assert.is(await engine.repair(), 2);
    const indexer = createIndexer({ graph: service.graph, engine, log: { warn: (message) => logged.push(message) } });
    indexer.start();
    await until('both', async () => {
      const { missing, extra } = (await engine.compare(glossary)) ?? {};
      return missing?.length === 0 && extra?.length === 0;
    });
    await indexer.stop();
    assert.equal(await found(engine, named(lost.name)), [lost.id]);
    assert.is(await engine.repair(), 0);
  });

  test('a server that missed changes is filled before it is queried', async () => {
    const { engine, prefix } = await open();
    await engine.rebuild([glossary]);
    assert.ok((await found(engine)).length > 0);
    await feeding('another server');
    const { id, name } = await create();
    await engine.survey();
    assert.is(await engine.answer(ANYTHING, [glossary], Date.now()), undefined);
    await engine.maintain();
    assert.is((await service.graph.read(readFeeding, {}))[0]?.server, prefix);
    assert.equal(await found(engine, named(name)), [id]);
  });

  test('a rejected document is listed with its reason and retried', async () => {
    const { engine, prefix } = await open();
    const { id, name } = await create();
    // By its name it is what it should be, but what it takes for a number is a text.
    const crooked = collectionNameFor(prefix, glossary, Date.now());
    const { fields, ...schema } = collectionSchemaFor(glossary, crooked);
    await typesense.createCollection({
      ...schema,
      fields: fields.map((field) => (field.name === 'tieSort' ? { ...field, type: 'int64' as const } : field)),
    });
    await typesense.setAlias(collectionAliasOf(prefix, glossary), crooked);
    const indexer = createIndexer({ graph: service.graph, engine, log: { warn: (message) => logged.push(message) } });
    await service.graph.write((transaction) => transaction.run(markUnsent, { rows: feedOf(id) }));
    indexer.start();
    const failure = async () => {
      const { data } = ok(await service.admin.get('/v1/search/reindex/failures?limit=1000&entityType=glossary'));
      return data.find(({ entityId }: { entityId: string }) => entityId === id);
    };
    await until('the failure', async () => (await failure()) !== undefined);
    const { failureStage, errorMessage, attempts } = await failure();
    assert.is(failureStage, 'SINK');
    assert.ok(attempts >= 1, 'it is tried again meanwhile');
    assert.match(errorMessage, /tieSort/);
    await engine.rebuild([glossary]);
    await typesense.dropCollection(crooked);
    await until('the end of the failure', async () => (await failure()) === undefined);
    assert.equal(await found(engine, named(name)), [id]);
    await indexer.stop();
  });

  const { halt, restart } = server;
  if (halt && restart) {
    test('the graph answers at once when the server is down, and nothing is lost', async () => {
      const { client, calls } = countingClient();
      const { engine, prefix } = await open({
        client,
        options: { openMs: 10 * PATIENCE_MS, surveyTtlMs: 10 * PATIENCE_MS, lagMs: 1 },
      });
      await engine.rebuild([glossary]);
      const indexer = createIndexer({
        graph: service.graph,
        engine,
        log: { warn: (message) => logged.push(message) },
        options: { awayMs: 100 },
      });
      await halt();
      assert.is(await engine.answer(ANYTHING, [glossary], Date.now()), undefined);
      const before = calls();
      for (let times = 0; times < 100; times += 1) {
        assert.is(await engine.answer(ANYTHING, [glossary], Date.now()), undefined);
      }
      assert.is(calls(), before, 'nobody asks a server that is known to be away');
      const { id, name } = await create();
      await service.graph.write((transaction) => transaction.run(markUnsent, { rows: feedOf(id) }));
      indexer.start();
      await until('a vain try', async () => logged.includes('Typesense does not answer; changes are sent later'));
      await restart();
      const { engine: other } = await open({ prefix, options: { lagMs: 1 } });
      await until('what was noted', async () => {
        await other.survey();
        const answer = await other.answer({ ...ANYTHING, ...named(name) }, [glossary], Date.now());
        return answer?.rows[0]?.id === id;
      });
      await indexer.stop();
    });

    test('a server that lags too far behind is not queried', async () => {
      const { engine } = await open({ options: { lagMs: 1 } });
      await engine.rebuild([glossary]);
      const { id } = await create();
      await service.graph.write((transaction) => transaction.run(markUnsent, { rows: feedOf(id) }));
      await sleep(50);
      await engine.survey();
      assert.is(await engine.answer(ANYTHING, [glossary], Date.now()), undefined);
    });
  } else {
    test.skipped('a server that stops and returns', 'the server was given and is not stopped by tests');
  }

  test('a mark set while another one is cleared is kept', async () => {
    await open();
    const { id } = await create();
    const note = () => service.graph.write((transaction) => transaction.run(markUnsent, { rows: feedOf(id) }));
    await note();
    const waiting = await service.graph.write(async (transaction) => {
      assert.equal(await transaction.run(deleteUnsent, { rows: [{ id: 'nobody', times: 1 }] }), []);
      const noting = note();
      // Long enough for the other to have found what it then waits for.
      await sleep(1000);
      assert.is((await transaction.run(deleteUnsent, { rows: [{ id, times: 1 }] })).length, 1);
      return { noting };
    });
    await waiting.noting;
    const [left] = await service.graph.query('MATCH (unsent:Unsent {entityId: $id}) RETURN unsent.times AS times', {
      id,
    });
    assert.is(left?.['times'], 1);
  });

  test.after(async () => {
    await clearTypesense(
      service.graph,
      server,
      opened.map(({ prefix }) => prefix),
    );
    for (const { engine } of opened) engine.close();
  });
  test.after(() => server.close());
};

const assertRejects = async (work: Promise<unknown>, pattern: RegExp): Promise<void> => {
  const message = await work.then(
    () => 'nothing was thrown',
    (failure: Error) => failure.message,
  );
  assert.match(message, pattern);
};

if ('missing' in given) test.skipped('all of it', given.missing);
else withServer(given);

test.run();
