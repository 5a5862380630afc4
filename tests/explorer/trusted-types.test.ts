import * as assert from 'uvu/assert';
import { allowMarkup, allowScript } from '../../src/explorer/trusted-types.ts';
import { suite } from '../support/suite.ts';

/** Shows which texts the page may take for markup or for the address of a script. */

const test = suite('explorer: what may become markup or a script');

test('an element is emptied and an entity read; nothing else is markup', () => {
  for (const text of ['', '&amp;', '&CounterClockwiseContourIntegral;', '&#39;']) assert.is(allowMarkup(text), text);
  for (const text of ['<i>', 'words', '&amp;<img src=x onerror=alert(1)>', '&amp;\n', `&${'a'.repeat(100)};`])
    assert.is(allowMarkup(text), null, text);
});

test('workers are files of the explorer', () => {
  const page = 'https://catalog.example/lineage/table/a';
  for (const address of ['/explorer/assets/worker-1.js', 'https://catalog.example/explorer/assets/worker-1.js'])
    assert.is(allowScript(address, page), address);
  for (const address of [
    'https://elsewhere.example/explorer/assets/worker-1.js',
    '//elsewhere.example/explorer/assets/worker-1.js',
    '/explorer/assets/../../v1/tables',
    '/v1/tables',
    '/assets/worker-1.js',
    'data:text/javascript,alert(1)',
    'blob:https://catalog.example/1',
  ])
    assert.is(allowScript(address, page), null, address);
});

test.run();
