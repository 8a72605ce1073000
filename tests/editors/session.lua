-- Driven by test_neovim.py inside a real neovim: open, wait for diagnostics, hover, edit, see them change.
-- Writes what it saw as JSON to $TRITON_LS_RESULT and leaves.

local file, result = os.getenv("TRITON_LS_FILE"), os.getenv("TRITON_LS_RESULT")
local command = vim.fn.json_decode(os.getenv("TRITON_LS_COMMAND"))
local seen = { steps = {} }

local function finish()
  vim.fn.writefile({ vim.fn.json_encode(seen) }, result)
  vim.cmd("qall!")
end

local function diagnostics()
  local found = {}
  for _, item in ipairs(vim.diagnostic.get(0)) do
    table.insert(found, { line = item.lnum + 1, message = item.message, severity = item.severity, source = item.source })
  end
  return found
end

local function wait_for(what, condition)
  if not vim.wait(60000, condition, 50) then
    seen.failed = what
    seen.diagnostics = diagnostics()
    seen.messages = vim.fn.execute("messages")
    finish()
    return false
  end
  table.insert(seen.steps, what)
  return true
end

local function mentions(words)
  return function()
    for _, item in ipairs(vim.diagnostic.get(0)) do
      if item.message:find(words, 1, true) then
        return true
      end
    end
    return false
  end
end

vim.cmd("edit " .. file)
vim.bo.filetype = "python"
local client = vim.lsp.start_client({
  name = "triton-ls",
  cmd = command,
  root_dir = vim.fn.fnamemodify(file, ":h"),
  settings = { ["triton-ls"] = { interpreter = os.getenv("TRITON_LS_PYTHON") } },
  on_init = function(started)
    started.notify("workspace/didChangeConfiguration", { settings = started.config.settings })
  end,
})
vim.lsp.buf_attach_client(0, client)

if not wait_for("diagnostics", mentions("`in_ptr` is mutated")) then
  return
end
seen.before = diagnostics()

local line = vim.fn.search("def clobber_kernel(in_ptr", "w")
local column = vim.fn.getline(line):find("in_ptr") - 1
local answer = vim.lsp.buf_request_sync(0, "textDocument/hover", {
  textDocument = vim.lsp.util.make_text_document_params(),
  position = { line = line - 1, character = column },
}, 10000)
seen.hover = answer[client].result.contents.value

local store = vim.fn.search("tl.store(in_ptr", "w")
vim.fn.setline(store, "    pass")
if not wait_for("diagnostics change", function()
  return not mentions("`in_ptr` is mutated")()
end) then
  return
end
seen.after = diagnostics()

vim.lsp.stop_client(client)
wait_for("the server ends", function()
  return vim.lsp.get_client_by_id(client) == nil
end)
finish()
