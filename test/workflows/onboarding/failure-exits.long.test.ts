import { testEnds } from './every-end.ts';

testEnds(['f2-late', 'unavailable', 'unconfirmed']);
