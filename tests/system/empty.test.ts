import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { anonymous, openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that collections that the catalog does not offer are empty or unknown. */

const test = suite('system: empty collections');

test('what the feed was, and what has replaced it elsewhere, are empty lists that accept nothing', async () => {
  const service = await openService();
  for (const name of ['feed', 'conversations', 'tasks', 'activity', 'announcements']) {
    for (const path of [`/v1/${name}`, `/api/v1/${name}`, `/v1/${name}?limit=10&type=Conversation`]) {
      assert.equal(ok(await service.admin.get(path)), { data: [], paging: { total: 0 } }, path);
    }
    expectRefused(await service.admin.post(`/v1/${name}`, {}), 405);
    expectRefused(await anonymous(service).get(`/v1/${name}`), 401);
  }
});

test('a setting is never stored, so reads answer 204 and writes are refused', async () => {
  const service = await openService();
  for (const name of ['customUiThemePreference', 'any.other', 'emailConfiguration']) {
    const reply = await service.admin.get(`/v1/system/settings/${name}`);
    assert.equal([reply.status, reply.text], [204, '']);
    expectRefused(await service.admin.put(`/v1/system/settings/${name}`, {}), 405);
    expectRefused(await service.admin.patch(`/v1/system/settings/${name}`, []), 405);
    expectRefused(await anonymous(service).get(`/v1/system/settings/${name}`), 401);
  }
});

/** Collections of other catalogs that have no counterpart here. */
const ABSENT = [
  'apps/marketplace',
  'automations/workflows',
  'docStore',
  'kpi',
  'notificationTemplates',
  'personas',
  'reports',
  'services/metadataServices',
  'suggestions',
  'webAnalyticsEvents',
];

test('collections of other catalogs are 404 in the shared form, with any method', async () => {
  const service = await openService();
  for (const name of ABSENT) {
    for (const prefix of ['/v1', '/api/v1']) {
      expectRefused(await service.admin.get(`${prefix}/${name}`), 404);
      expectRefused(await service.admin.get(`${prefix}/${name}/name/x`), 404);
      expectRefused(await service.admin.post(`${prefix}/${name}`, {}), 404);
      expectRefused(await anonymous(service).get(`${prefix}/${name}`), 401);
    }
  }
});

test.run();
