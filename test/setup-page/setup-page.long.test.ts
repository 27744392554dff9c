import { testStates, useBrowser } from './browsed-pages.ts';
import { pageStates, scheduledStates } from './page-states.ts';

const states = [...pageStates, ...scheduledStates];

useBrowser(states);
testStates(states);
