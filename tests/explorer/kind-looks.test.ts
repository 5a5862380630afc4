import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { FAMILIES, looksOf } from '../../src/explorer/parts/kind-looks.ts';
import { suite } from '../support/suite.ts';

/** Shows that kinds can be told apart by what they look like. */

const test = suite('explorer: how kinds look');

const kinds = async (): Promise<readonly string[]> => {
  const rows = await readFile(new URL('../../src/explorer/api/kinds.json', import.meta.url), 'utf8');
  return (JSON.parse(rows) as { type: string }[]).map(({ type }) => type);
};

test('every kind has an icon and a family of its own', async () => {
  const unknown = looksOf('a kind of a later version');
  for (const type of await kinds()) assert.ok(looksOf(type) !== unknown, `${type} has no looks`);
  assert.is(unknown.family, 'meaning');
});

const channels = (hex: string): readonly number[] =>
  [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });

const luminance = (hex: string): number => {
  const [red = 0, green = 0, blue = 0] = channels(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
};

test('the hue of every family is seen on every ground, in both themes', async () => {
  const css = await readFile(new URL('../../src/explorer/styles/base.css', import.meta.url), 'utf8');
  const tokens = new Map(
    [...css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)].map(([, name = '', light = '', dark = '']) => [
      name,
      [light, dark] as const,
    ]),
  );
  for (const family of FAMILIES) {
    for (const ground of ['ground', 'surface', 'raised']) {
      for (const theme of [0, 1] as const) {
        const [hue, below] = [tokens.get(`family-${family}`)?.[theme], tokens.get(ground)?.[theme]];
        assert.ok(hue !== undefined && below !== undefined, `${family} on ${ground}`);
        assert.ok(contrast(hue, below) >= 4.5, `${family} on ${ground}: ${contrast(hue, below).toFixed(2)}`);
      }
    }
  }
});

test.run();
