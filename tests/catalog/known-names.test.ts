import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { openSecondProcess } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a process that remembers the ids of names never answers with a record that has another name by now. */

const test = suite('catalog: remembered names');

let service: Service;
let other: Client;

test.before(async () => {
  service = await openService();
  other = await openSecondProcess(service);
});

const glossaryBody = (name: string) => ({ name, description: 'Words' });

/** A name of which both processes remember the record. */
const remembered = async () => {
  const name = uniqueName('remembered');
  const { id } = ok(await service.admin.post('/v1/glossaries', glossaryBody(name)), 201);
  for (const client of [service.admin, other]) assert.is(ok(await read(client, name)).id, id);
  return { name, id };
};

/** With a relation the record is read by its id. */
const read = (client: Client, name: string) => client.get(`/v1/glossaries/name/${name}?fields=owners,domains`);

test('a renamed record is found by its new name alone', async () => {
  const { name, id } = await remembered();
  const after = uniqueName('renamed');
  ok(await service.admin.patch(`/v1/glossaries/${id}`, { name: after }));
  for (const client of [service.admin, other]) {
    expectRefused(await read(client, name), 404, `glossary instance for ${name} not found`);
    assert.is(ok(await read(client, after)).id, id);
  }
});

test('a name that another record took over leads to that record', async () => {
  const { name, id } = await remembered();
  ok(await service.admin.patch(`/v1/glossaries/${id}`, { name: uniqueName('gone') }));
  const second = ok(await service.admin.post('/v1/glossaries', glossaryBody(name)), 201);
  for (const client of [service.admin, other]) assert.is(ok(await read(client, name)).id, second.id);
  const term = { name: 'word', description: 'A word', glossary: name };
  assert.is(ok(await other.post('/v1/glossaryTerms', term), 201).glossary.id, second.id);
});

test('a name that was removed and made again leads to the new record', async () => {
  const { name, id } = await remembered();
  ok(await service.admin.delete(`/v1/glossaries/${id}?hardDelete=true`));
  expectRefused(await read(other, name), 404, `glossary instance for ${name} not found`);
  const second = ok(await service.admin.post('/v1/glossaries', glossaryBody(name)), 201);
  for (const client of [service.admin, other]) assert.is(ok(await read(client, name)).id, second.id);
});

test.run();
