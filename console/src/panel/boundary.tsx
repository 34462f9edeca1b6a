// What a panel shows if it breaks: the rest of the page continues.
import { Component, type ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Refusal } from "../ui/refusal.tsx";

export class PanelBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="p-4">
        <Refusal error={this.state.error}>
          <Button onClick={() => this.setState({ error: null })}>Show it again</Button>
        </Refusal>
      </div>
    );
  }
}
