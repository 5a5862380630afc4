import { useEffect, useState } from 'react';
import type { AssetName } from '../addresses.ts';
import { assetOfPage } from './commands.ts';

const MOST = 8;

/** The assets that were looked at in this tab, the latest first. They are forgotten with whoever looked at them. */
export const useRecent = (path: string): readonly AssetName[] => {
  const [recent, setRecent] = useState<readonly AssetName[]>([]);
  useEffect(() => {
    const asset = assetOfPage(path);
    if (!asset) return;
    const isOther = ({ type, fqn }: AssetName) => type !== asset.type || fqn !== asset.fqn;
    setRecent((known) => [asset, ...known.filter(isOther)].slice(0, MOST));
  }, [path]);
  return recent;
};
