import { escapeMarkdown, markdownCode } from '../lib/escape-markdown.ts';
import type { Onboarding } from './onboarding.ts';
import { onboardingWorkflowId } from './onboarding-ids.ts';
import { Stage } from './stage.ts';
import { restartCommand, startAgain } from './start-again.ts';

const EXTENSION = '{"hours":24,"by":"your name","reason":"why"}';
const EXTEND_OPTIONS = "--hours 24 --reason 'why'";

/** Markdown: what an operator can do about an onboarding in its present stage, with everything filled in. */
export function operatorActions({ tenantId, stage, badEnd }: Onboarding): string {
  const see = `**See everything, with whole values**: ${markdownCode(`sendoff status ${tenantId}`)} or ${markdownCode(`GET /onboardings/${tenantId}`)}`;
  const stop = `**Stop it and undo what it created**: the button Request Cancellation, or ${markdownCode(`sendoff cancel ${tenantId}`)}; Terminate undoes nothing`;
  const again = `**Onboard it again, with a new API key**: ${markdownCode(restartCommand(tenantId))} or ${markdownCode(`POST /onboardings/${tenantId}/restart`)}; a Reset changes nothing`;
  const ofStage: Partial<Record<Stage, readonly string[]>> = {
    [Stage.awaitingDomain]: [
      `**Check the DNS now**: More Actions, Send an Update, ${markdownCode('checkNow')} without data, or ${markdownCode(`sendoff check-now ${tenantId}`)}`,
      `**Give the tenant more time**: More Actions, Send an Update, ${markdownCode('extendVerification')} with ${markdownCode(EXTENSION)}, or ${markdownCode(`sendoff extend ${tenantId} ${EXTEND_OPTIONS}`)}`,
      see,
      stop,
    ],
    [Stage.undoing]: ['**Wait for the undo to end**: Pending Activities shows its last error', see],
    [Stage.done]: [badEnd === null ? again : `**${escapeMarkdown(startAgain(tenantId))}**`, see],
  };
  const actions = ofStage[stage] ?? ['**See the last error of a step**: Pending Activities', see, stop];
  return actions.map((action) => `- ${action}`).join('\n');
}

/** The Updates of a waiting onboarding as commands for a shell. */
export function shellCommands({ tenantId, stage }: Onboarding, namespace: string): string[] {
  if (stage !== Stage.awaitingDomain) return [];
  const update = `temporal workflow update execute --namespace ${namespace} --workflow-id ${onboardingWorkflowId(tenantId)} --name`;
  const lines = [`${update} checkNow`, `${update} extendVerification --input '${EXTENSION}'`];
  return ['### The Updates in a shell', ['```sh', ...lines, '```'].join('\n')];
}
