import { useNodeId } from '@xyflow/react';
import { createContext, useContext } from 'react';

/**
 * The box to which the tab key leads, and from there to what is in it. It is one of all, so that nobody has to pass every
 * button of a graph to come to what stands beside it; keys lead from box to box.
 */

const CurrentBox = createContext<string | undefined>(undefined);

export const CurrentBoxProvider = CurrentBox.Provider;

/** Whether the tab key stops at what is in this box. */
export const useTabStop = (): 0 | -1 => {
  const current = useContext(CurrentBox);
  return useNodeId() === current ? 0 : -1;
};
