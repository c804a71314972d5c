import { runPost } from './app.js';

await runPost(process.env);
