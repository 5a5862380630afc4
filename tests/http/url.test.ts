import * as assert from 'uvu/assert';
import { decodeSegment, originOf, parseQuery, parseRequestTarget, requestTargetOf } from '../../src/http/url.ts';
import { suite } from '../support/suite.ts';

/** Shows how request URLs are split into path, segments and query. */

const test = suite('http: URLs');

test('the alias and the plain path are one path with two prefixes', () => {
  assert.equal(parseRequestTarget('/v1/tables'), {
    prefix: '',
    segments: ['v1', 'tables'],
    query: '',
    needsToken: true,
  });
  assert.equal(parseRequestTarget('/api/v1/tables'), {
    prefix: '/api',
    segments: ['v1', 'tables'],
    query: '',
    needsToken: true,
  });
});

test('only /api/v1 is an alias, but all of /api and /v1 requires a token', () => {
  for (const path of ['/api', '/api/docs', '/v1', '/v1/', '/api/v1x'])
    assert.is(parseRequestTarget(path).needsToken, true, path);
  for (const path of ['/', '/docs', '/v1x', '/apis/v1', '//v1/tables'])
    assert.is(parseRequestTarget(path).needsToken, false, path);
  assert.is(parseRequestTarget('/api/docs').prefix, '');
  assert.equal(parseRequestTarget('/api/v1x').segments, ['api', 'v1x']);
});

test('one trailing slash is dropped', () => {
  assert.equal(parseRequestTarget('/v1/tables/').segments, ['v1', 'tables']);
  assert.equal(parseRequestTarget('/v1/tables//').segments, ['v1', 'tables', '']);
  assert.equal(parseRequestTarget('/').segments, ['']);
});

test('segments stay encoded, and the fragment is dropped', () => {
  const url = parseRequestTarget('/v1/tables/name/a%2Fb%22%25?fields=a%2Cb#top');
  assert.equal(url.segments, ['v1', 'tables', 'name', 'a%2Fb%22%25']);
  assert.is(url.query, 'fields=a%2Cb');
});

test('a trailing &include in the last segment is query', () => {
  const url = parseRequestTarget('/v1/tables/name/a.b&include=all?fields=tags');
  assert.equal(url.segments.at(-1), 'a.b');
  assert.is(parseQuery(url.query).get('include'), 'all');
  assert.is(parseQuery(url.query).get('fields'), 'tags');
});

test('an ampersand elsewhere, or encoded, belongs to the name', () => {
  assert.equal(parseRequestTarget('/v1/tables/name/a&b').segments.at(-1), 'a&b');
  assert.equal(parseRequestTarget('/v1/tables/name/a%26include=all').segments.at(-1), 'a%26include=all');
  assert.equal(parseRequestTarget('/v1/x&include=all/y').segments, ['v1', 'x&include=all', 'y']);
});

test('a segment is decoded exactly once', () => {
  assert.is(decodeSegment('a%2Fb'), 'a/b');
  assert.is(decodeSegment('a%252Fb'), 'a%2Fb');
  assert.is(decodeSegment('%22a.b%22'), '"a.b"');
  assert.is(decodeSegment('100%25'), '100%');
  assert.is(decodeSegment('a+b'), 'a+b');
  assert.is(decodeSegment('%C3%A9'), 'é');
});

test('malformed percent-encoding is refused in path and query', () => {
  for (const text of ['%', '%zz', 'a%2', '%ff', '%C3']) {
    assert.throws(() => decodeSegment(text), /Malformed percent-encoding in path/, text);
    assert.throws(() => parseQuery(`a=${text}`), /Malformed percent-encoding in query/, text);
  }
});

test('repeated ampersands and empty values are accepted', () => {
  const query = parseQuery('&&a=1&&&b=&c&a=2&');
  assert.is(query.toString(), 'a=1&b=&c=&a=2');
  assert.is(parseQuery('q=a+b%2Bc').get('q'), 'a b+c');
});

test('an absolute URL is split into origin and target', () => {
  assert.is(requestTargetOf('http://host:1/v1/x?y=/z'), '/v1/x?y=/z');
  assert.is(originOf('http://host:1/v1/x?y=/z'), 'http://host:1');
  assert.is(requestTargetOf('http://host'), '/');
  assert.is(originOf('http://host'), 'http://host');
});

test.run();
