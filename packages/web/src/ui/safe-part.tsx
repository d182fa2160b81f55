import { IconRefresh } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Component } from "react";
import { useTranslation } from "../i18n/index.ts";
import { Button } from "./button.tsx";
import classes from "./lazy-part.module.css";

type Props = {
  /** The content of the part. A new value is tried without a click. */
  of: unknown;
  /** Says what cannot be shown. */
  text: string;
  children: ReactNode;
};
type State = { hasFailed: boolean; of: unknown };

/** One of many, such as a message or a card: if rendering it throws, a line and a button to try again stand in its place. */
export class SafePart extends Component<Props, State> {
  override state: State = { hasFailed: false, of: this.props.of };

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ of }: Props, state: State): State | null {
    return of === state.of ? null : { hasFailed: false, of };
  }

  override componentDidCatch(error: unknown): void {
    reportError(error); // React keeps a caught error from `error` events
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return <Broken text={this.props.text} onRetry={() => this.setState({ hasFailed: false })} />;
  }
}

function Broken({ text, onRetry }: { text: string; onRetry: () => void }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["missing"]} role="group" aria-label={text}>
      <span>{text}</span>
      <Button
        variant="default"
        size="compact"
        onClick={onRetry}
        leftSection={<IconRefresh size={15} stroke={1.7} aria-hidden="true" />}
      >
        {t("common.retry")}
      </Button>
    </div>
  );
}
