import { testParsers } from './worst-inputs.ts';

testParsers(1);
