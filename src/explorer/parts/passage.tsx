import { beginNearFound, type PassagePart, readPassage } from '../api/highlight.ts';
import './passage.css';

/** Parts of a text, those that were found marked. */
export const PassageText = ({ parts }: { readonly parts: readonly PassagePart[] }) => {
  let at = 0;
  return parts.map((part) => {
    const key = at;
    at += part.text.length;
    return part.isFound ? <mark key={key}>{part.text}</mark> : <span key={key}>{part.text}</span>;
  });
};

type PassageProps = {
  readonly text: string;
  /** For one line: it begins shortly before the first word that was found. */
  readonly isLine?: boolean;
};

/** A passage of a text in which the words that were searched for are marked. Whatever else it holds is text. */
export const Passage = ({ text, isLine = false }: PassageProps) => {
  const parts = readPassage(text);
  return <PassageText parts={isLine ? beginNearFound(parts) : parts} />;
};
