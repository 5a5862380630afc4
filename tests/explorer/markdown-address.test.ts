import * as assert from 'uvu/assert';
import { followedAddress, isImageInText } from '../../src/explorer/parts/markdown-address.ts';
import { suite } from '../support/suite.ts';

/** Shows where links of descriptions lead, and which images are shown. */

const test = suite('explorer: addresses in Markdown');

const ORIGIN = 'https://catalog.example';

test('links lead to pages, mail and places of the page', () => {
  for (const address of [
    'https://example.org/a?b=c',
    'HTTP://example.org',
    'mailto:someone@example.org',
    '/assets/table/a.b',
    '#part',
    `${ORIGIN}/search?q=v1`,
  ])
    assert.is(followedAddress(address, ORIGIN), address);
});

test('links that run scripts, ask the API or lead nowhere are none', () => {
  for (const address of [
    '',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    ' javascript:alert(1)',
    'vbscript:x',
    'data:text/html,<script>alert(1)</script>',
    'blob:https://catalog.example/1',
    'file:///etc/passwd',
    'page.html',
    'https://',
    '/v1/users/logout',
    '/V1/users/logout',
    '/assets/../v1/users/logout',
    '/\t/catalog.example/v1/tables',
    '//catalog.example/v1/tables',
    '//example.org/a',
    '/\\example.org/a',
    `${ORIGIN}/v1/users/logout`,
  ])
    assert.is(followedAddress(address, ORIGIN), undefined, address);
});

test('images are shown when they are in the text, and only as pixels', () => {
  for (const kind of ['png', 'jpeg', 'gif', 'webp', 'PNG'])
    assert.ok(isImageInText(`data:image/${kind};base64,AAAA`), kind);
  for (const address of [
    'data:image/svg+xml;base64,AAAA',
    'data:text/html;base64,AAAA',
    'data:image/png,AAAA',
    '/v1/users/logout',
    'https://example.org/a.png',
    'blob:https://catalog.example/1',
    'javascript:data:image/png;base64,',
  ])
    assert.not.ok(isImageInText(address), address);
});

test.run();
