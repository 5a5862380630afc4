import * as assert from 'uvu/assert';
import { COLOURS, type Colours, drawPicture, escapeXml, type PictureBox } from '../../src/explorer/lineage/picture.ts';
import { suite } from '../support/suite.ts';

/** Shows that a picture holds everything that the graph does, and names only as text. */

const test = suite('explorer: lineage as a picture');

const HOSTILE = '<img src=x onerror=alert(1)>';

const colours = Object.fromEntries(COLOURS.map((name) => [name, `rgb(1, 2, ${COLOURS.indexOf(name)})`])) as Colours;

const box = (more: Partial<PictureBox> = {}): PictureBox => ({
  ...{ x: 0, y: 0, width: 264, height: 62, kind: 'table', name: 'orders' },
  ...{ badges: [], columns: [], isRoot: false, isDim: false, ...more },
});

const draw = (boxes: readonly PictureBox[], lines: Parameters<typeof drawPicture>[0]['lines'] = []) =>
  drawPicture({ title: HOSTILE, boxes, lines, colours, fit: (text) => text });

test('names, columns, badges and titles that look like tags are text', () => {
  const { svg } = draw([
    box({
      name: HOSTILE,
      kind: '"><script>alert(1)</script>',
      columns: [{ name: `a' & </text><b>`, isLit: true }],
      badges: [{ text: '<x>', tone: 'bad' }],
    }),
  ]);
  assert.not.match(svg, /<(?:img|script|b|x)[\s>]/);
  assert.ok(svg.includes('&lt;img src=x onerror=alert(1)&gt;'));
  assert.ok(svg.includes('a&#39; &amp; &lt;/text&gt;&lt;b&gt;'));
  const tags = [...svg.matchAll(/<\/?([a-z]+)/g)].map(([, tag]) => tag);
  assert.equal([...new Set(tags)].sort(), ['g', 'rect', 'svg', 'text', 'title']);
});

test('characters that no XML may hold are replaced, and others are not', () => {
  assert.is(escapeXml('a\u0000b\u001fc\ud800d\uffff'), 'a\ufffdb\ufffdc\ufffdd\ufffd');
  assert.is(escapeXml('größe\t❄️ 𝒳'), 'größe\t❄️ 𝒳');
});

test('the picture is as large as its boxes, wherever they stand', () => {
  const { svg, width, height } = draw([box({ x: -100, y: 40 }), box({ x: 500, y: 300 })]);
  assert.is(width, 500 + 264 + 100 + 64);
  assert.is(height, 300 + 62 - 40 + 64);
  assert.ok(svg.includes(`viewBox="-132 8 ${width} ${height}"`));
});

test('lines differ by more than their colour', () => {
  const line = (tone: 'plain' | 'came' | 'went' | 'changed', isDashed = false) =>
    draw([box()], [{ path: 'M0 0', tone, isDashed }]).svg.match(/<path [^>]*>/)?.[0] ?? '';
  const shapes = [line('plain'), line('plain', true), line('came'), line('went'), line('changed')].map((text) =>
    text.replace(/stroke="[^"]*"/, ''),
  );
  assert.is(new Set(shapes).size, 5);
});

test('texts are shortened to the width of their box', () => {
  const asked: number[] = [];
  drawPicture({
    ...{ title: '', lines: [], colours, boxes: [box({ columns: [{ name: 'c', isLit: false }] })] },
    fit: (text, width) => {
      asked.push(width);
      return text;
    },
  });
  assert.equal(asked, [240, 240, 240]);
});

test.run();
