import * as assert from 'uvu/assert';
import { countStored, expectRefused, ok } from '../support/expect.ts';
import { CASES, createQualityTests, entityLinkOf, type QualityTests } from '../support/quality-tests.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that entity links of test cases are validated and resolved (data-quality.md 5). */

const test = suite('quality: entity links');

let service: Service;
let testing: QualityTests;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
});

test('an invalid link is refused with its fault, in every parameter and body', async () => {
  const table = await testing.table();
  const name = table.fullyQualifiedName;
  const rows: readonly [string, string][] = [
    ['nothing', 'Invalid entity link: nothing'],
    [`<#E::table::${name}> and more`, `Invalid entity link: <#E::table::${name}> and more`],
    [` <#E::table::${name}>`, `Invalid entity link:  <#E::table::${name}>`],
    [`<#E::table::${name}`, `Invalid entity link: <#E::table::${name}`],
    ['<#E::table>', 'Invalid entity link: <#E::table>'],
    ['<#E::table::>', 'Invalid entity link: <#E::table::>'],
    [`<#E::table::${name}::>`, `Invalid entity link: <#E::table::${name}::>`],
    [`<#E::table::a|b>`, 'Invalid entity link: <#E::table::a|b>'],
    [`<#E::table::${name}><#E::table::${name}>`, 'Invalid entity link: more than one link in '],
    [`<#E::table::${name}::columns>`, 'Invalid entity link: column name missing in '],
  ];
  const before = await countStored(service);
  for (const [entityLink, message] of rows) {
    const body = testing.body(table, 'id', { entityLink });
    for (const reply of [
      await testing.post(body),
      await service.admin.put(CASES, body),
      await service.admin.get(`${CASES}?entityLink=${encodeURIComponent(entityLink)}`),
    ]) {
      expectRefused(reply, 400);
      assert.ok(String(reply.json.message).startsWith(message), `${reply.json.message} for ${entityLink}`);
    }
  }
  assert.equal(await countStored(service), before);
});

test('a link of a column uses the columns field and no other', async () => {
  const table = await testing.table();
  const link = `<#E::table::${table.fullyQualifiedName}::description>`;
  const onField = await testing.post(testing.body(table, 'id', { entityLink: link }));
  expectRefused(onField, 400, `Invalid entity link: field must be columns in ${link}`);
  const onTable = await testing.post(testing.body(table, 'id', { entityLink: entityLinkOf(table) }));
  expectRefused(onTable, 400, /^Invalid entity link: column name missing in /);
});

test('links accept quoted names and names in any script', async () => {
  const name = `${uniqueName('Größe')}.日本 名'字`;
  const table = await testing.table(
    [
      { name: 'ключ.x', dataType: 'INT' },
      { name: 'a:b', dataType: 'INT' },
    ],
    { name },
  );
  const onTable = await testing.test(table);
  assert.is(onTable.entityFQN, table.fullyQualifiedName);
  assert.ok(onTable.entityFQN.endsWith(`."${name}"`));
  const dotted = await testing.test(table, 'ключ.x');
  assert.is(dotted.fullyQualifiedName, `${table.fullyQualifiedName}."ключ.x".${dotted.name}`);
  const quoted = await testing.test(table, '"ключ.x"');
  assert.is(quoted.entityFQN, dotted.entityFQN);
  assert.is(quoted.entityLink, dotted.entityLink);
  const colon = await testing.test(table, 'a:b');
  assert.is(colon.entityFQN, `${table.fullyQualifiedName}.a:b`);
  for (const { id, fullyQualifiedName } of [onTable, dotted, colon]) {
    assert.is(ok(await service.admin.get(`${CASES}/name/${encodeURIComponent(fullyQualifiedName)}`)).id, id);
  }
});

test.run();
