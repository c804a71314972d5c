import { runMain } from './app.js';

await runMain(process.env);
