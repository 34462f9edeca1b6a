// Why the agent of a run failed, said to whoever looks after the cron: nobody can send a run's message again, and its login is the workspace's.

/** What agents advise the people of a session, and what stands in its place. */
const advice: [agent: RegExp, cron: string][] = [
  [
    /^The conversation no longer fits.*? a larger window\./,
    "The run no longer fits into the model's context window, even after it was compacted. Ask for less in the prompt, or choose a model with a larger window.",
  ],
  [
    /^The model provider is overloaded\. .*? another model\./,
    "The model provider is overloaded. The next fire runs again, or choose another model.",
  ],
  [
    /^The login for this model has reached its limit\. .*? another model\./,
    "The workspace's login for this model has reached its limit. Wait until it resets, or choose another model.",
  ],
  [
    /^The model provider refused the login\. .*? another model\./,
    "The model provider refused the workspace's login. An owner or admin connects it again, or choose another model.",
  ],
  [
    / Send the message again in a moment(, or choose another model)?\./,
    " The next fire runs again, or choose another model.",
  ],
];

/** The error of a run whose agent failed with this one. Any other words stay. */
export function agentFailure(error: string | null): string | null {
  return advice.reduce((text, [agent, cron]) => text?.replace(agent, () => cron) ?? null, error);
}
