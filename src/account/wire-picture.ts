// A picture on the wire. The request body is the image itself.
import * as z from "zod";
import { pictureBytes } from "../rules/limits.ts";
import { pictureTypes } from "./rules/picture.ts";

export const pictureBody = {
  schema: z.instanceof(Uint8Array).describe("The image itself. Its first bytes tell what it is."),
  maxBytes: pictureBytes,
  mediaTypes: pictureTypes,
};

export const examplePictureUrl = "https://switchyard.example.com/pictures/3kJ9vT0bYcR5mW8pL1nZ6dF2gH4sA7eUqXoIyBtx7Qa";
