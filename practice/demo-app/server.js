// Starts the board.
import { createBoard } from "./board.js";

const port = Number(process.env.PORT ?? 3000);
const host = process.env.HOST ?? "0.0.0.0";
createBoard().listen(port, host, () => console.log(`Platform board on http://${host}:${port}`));
