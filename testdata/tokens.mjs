// Counts the tokens of the texts in tokens.json with real tokenizers. To run it:
//   npm install gpt-tokenizer @anthropic-ai/tokenizer llama3-tokenizer-js && node tokens.mjs
import fs from 'fs';
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { countTokens } from '@anthropic-ai/tokenizer';
import llama3 from 'llama3-tokenizer-js';

const texts = JSON.parse(fs.readFileSync('tokens.json', 'utf8'));
for (const t of texts) {
  t.tokens = {
    o200k_base: o200k(t.text).length,
    cl100k_base: cl100k(t.text).length,
    claude: countTokens(t.text),
    llama3: llama3.encode(t.text, { bos: false, eos: false }).length,
  };
}
fs.writeFileSync('tokens.json', JSON.stringify(texts, null, 1) + '\n');
