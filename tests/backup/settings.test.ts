import * as assert from 'node:assert/strict';
import { readBackupSettings } from '../../src/backup/settings.ts';
import { suite } from '../support/suite.ts';

/** Shows that a backup records the settings without secrets. */

const test = suite('backup: settings');

test('settings are recorded, secrets only as being set, and no other environment variables', () => {
  const { config, settings } = readBackupSettings({
    TRIBUTARY_HOME: 'somewhere',
    PORT: '8600',
    NEO4J_PASSWORD: 'secret-1',
    SECRETS_KEY: 'secret-2',
    TYPESENSE_URL: 'http://user:secret-3@search.example:8108',
    TYPESENSE_API_KEY: 'secret-4',
    UNKNOWN_VARIABLE: 'x',
    LOG_LEVEL: '',
  });
  assert.equal(config.port, 8600);
  assert.deepEqual(settings, {
    NEO4J_PASSWORD: '*********',
    PORT: '8600',
    SECRETS_KEY: '*********',
    TYPESENSE_API_KEY: '*********',
    TYPESENSE_URL: 'http://*********@search.example:8108',
  });
});

test.run();
