import * as assert from 'uvu/assert';
import { buildRecordDocuments } from '../../src/catalog/read/documents.ts';
import { buildStoredDocument } from '../../src/search-documents/index/stored-document.ts';
import { everyKind, type KindFixture } from '../support/every-kind.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that search documents are written in the transaction of their asset. */

const test = suite('search: document writes');
const each = everyKind(test);

/** What the index keeps of a record, and what it ought to. */
const compare = async ({ service, kind }: KindFixture, id: string): Promise<void> => {
  const { graph, app } = service;
  const [row] = await graph.query(
    'MATCH (n:Entity {id: $id}) OPTIONAL MATCH (doc:SearchDoc {id: $id}) RETURN doc{.*} AS doc, n.revision AS revision',
    { id },
  );
  const [document] = await buildRecordDocuments(app.engine, kind, [id]);
  const { revision, toldFace: _toldFace, ...kept } = (row?.['doc'] ?? {}) as Record<string, unknown>;
  assert.equal(kept, document && buildStoredDocument(kind, document));
  assert.is(revision, row?.['revision']);
};

const isFound = ({ search }: KindFixture['kind']): boolean => search.index !== undefined;

each(
  'after every write the document is that of the record',
  async (bench) => {
    const { service, samples, kind, path } = bench;
    const { admin } = service;
    const made = await samples.create(kind);
    await compare(bench, made.id);
    const at = `${path}/${made.id}`;
    ok(await admin.patch(at, { description: uniqueName('text') }));
    await compare(bench, made.id);
    if (kind.gatedNames.has('tags')) {
      ok(
        await admin.patch(at, {
          tags: [
            { tagFQN: 'PII.Sensitive', source: 'Classification' },
            { tagFQN: 'Tier.Tier1', source: 'Classification' },
          ],
        }),
      );
      await compare(bench, made.id);
    }
    if (kind.gatedNames.has('followers')) {
      const { id } = ok(await admin.get('/v1/users/loggedInUser'));
      ok(await admin.raw('PUT', `${at}/followers`, `"${id}"`));
      await compare(bench, made.id);
    }
    if (kind.gatedNames.has('votes')) {
      ok(await admin.put(`${at}/vote`, { updatedVoteType: 'votedUp' }));
      await compare(bench, made.id);
    }
    if (kind.softDeletable) {
      ok(await admin.delete(`${at}?recursive=true`));
      await compare(bench, made.id);
      ok(await admin.put(`${path}/restore`, { id: made.id }));
      await compare(bench, made.id);
    }
    ok(await admin.delete(`${at}?recursive=true&hardDelete=true`));
    const [left] = await service.graph.query('MATCH (doc:SearchDoc {id: $id}) RETURN count(doc) AS count', {
      id: made.id,
    });
    assert.is(left?.['count'], 0);
  },
  isFound,
);

test.run();
