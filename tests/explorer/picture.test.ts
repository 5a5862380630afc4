import * as assert from 'uvu/assert';
import {
  COLOURS,
  type Colours,
  drawPicture,
  escapeXml,
  type PictureBox,
  type PictureLine,
} from '../../src/explorer/lineage/picture.ts';
import { suite } from '../support/suite.ts';

/** Shows that a picture holds everything that the graph does, and names only as text. */

const test = suite('explorer: lineage as a picture');

const HOSTILE = '<img src=x onerror=alert(1)>';

const colours = Object.fromEntries(COLOURS.map((name) => [name, `rgb(1, 2, ${COLOURS.indexOf(name)})`])) as Colours;

const box = (more: Partial<PictureBox> = {}): PictureBox => ({
  ...{ x: 0, y: 0, width: 264, height: 62, kind: 'table', name: 'orders' },
  ...{ badges: [], columns: [], isRoot: false, isDim: false, ...more },
});

type Lines = Parameters<typeof drawPicture>[0]['lines'];

const draw = (boxes: readonly PictureBox[], lines: Lines = [], notes: readonly string[] = []) =>
  drawPicture({ title: HOSTILE, notes, boxes, lines, colours, fit: (text) => text });

/** The title and the space below it. */
const CAPTION = 40;

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
  assert.is(height, 300 + 62 - 40 + 64 + CAPTION);
  assert.ok(svg.includes(`viewBox="-132 ${8 - CAPTION} ${width} ${height}"`));
});

test('a line that goes around the boxes is in the picture', () => {
  const bends = [
    { x: 700, y: 500 },
    { x: -60, y: 500 },
  ];
  const { svg, width, height } = draw([box(), box({ x: 400 })], [{ path: 'M0 0', bends, tone: 'plain' }]);
  assert.is(width, 760 + 64);
  assert.is(height, 500 + 64 + CAPTION);
  assert.ok(svg.includes('viewBox="-92 '));
});

test('a picture says what it shows, of what time, whether that is all, and what its lines mean', () => {
  const boxes = [box(), box({ x: 400 })];
  const plain = draw(boxes, [{ path: 'M0 0', tone: 'plain' }], ['As of today', HOSTILE]);
  for (const text of ['&lt;img src=x onerror=alert(1)&gt;</text>', 'As of today'])
    assert.ok(plain.svg.includes(text), text);
  assert.not.match(plain.svg, /Trail of a column|Bridge|Added/);
  const told = draw(boxes, [
    { path: 'M0 0', tone: 'lit', stroke: 'declared' },
    { path: 'M0 0', tone: 'went' },
    { path: 'M0 0', tone: 'plain', stroke: 'bridge' },
    { path: 'M0 0', tone: 'plain', stroke: 'observed', isOld: true },
  ]);
  const meanings = ['Trail of a column', 'Removed', 'Bridge over filtered assets', 'Observed, not declared'];
  for (const text of [...meanings, 'Not confirmed for 30 days']) assert.ok(told.svg.includes(text), text);
  assert.not.match(told.svg, /Added|>Declared/);
  assert.is(told.height, draw(boxes).height + 5 * 18);
  assert.is(draw([box()]).width, 480, 'a single box leaves room for the title');
});

test('lines differ by more than their colour', () => {
  const line = (how: Omit<PictureLine, 'path'>) => {
    const { svg } = draw([box()], [{ path: 'M0 0', ...how }]);
    return svg.match(/<path d="M0 0"[^>]*>(<path d="M0 0m[^>]*>)?/)?.[0] ?? '';
  };
  const tones = (['plain', 'came', 'went', 'changed'] as const).map((tone) => line({ tone }));
  const strokes = (['bridge', 'observed', 'agreed', 'by-hand'] as const).map((stroke) =>
    line({ tone: 'plain', stroke }),
  );
  const shapes = [...tones, ...strokes, line({ tone: 'plain', isOld: true })].map((text) =>
    text.replace(/(stroke|fill)="[^"]*"/g, ''),
  );
  assert.is(new Set(shapes).size, 9);
});

test('texts are shortened to the width of their box', () => {
  const asked: number[] = [];
  drawPicture({
    ...{ title: '', notes: [''], lines: [], colours, boxes: [box({ columns: [{ name: 'c', isLit: false }] })] },
    fit: (text, width) => {
      asked.push(width);
      return text;
    },
  });
  const [title, note, ...texts] = asked;
  assert.equal([title, note], [416, 416]);
  assert.equal(texts, [240, 240, 240]);
});

test.run();
