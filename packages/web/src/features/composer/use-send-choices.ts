import { useState } from "react";
import { keepSigning, keepUndo, readSigning, readUndo } from "./send-choices.ts";

/** How the user's messages leave: with his name, and with a moment to take them back. */
export function useSendChoices(userId: number) {
  const [isSigned, setIsSigned] = useState(() => readSigning(localStorage, userId));
  const [isUndoOn, setIsUndoOn] = useState(() => readUndo(localStorage, userId));
  return {
    isSigned,
    isUndoOn,
    chooseSigning(isOn: boolean): void {
      setIsSigned(isOn);
      keepSigning(localStorage, userId, isOn);
    },
    chooseUndo(isOn: boolean): void {
      setIsUndoOn(isOn);
      keepUndo(localStorage, userId, isOn);
    },
  };
}
