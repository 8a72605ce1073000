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

-- What the user gets to see of it.
vim.fn.cursor(line, column + 1)
vim.lsp.buf.hover()
local function floating()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end
if not wait_for("hover", floating) then
  return
end
seen.float = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(floating()), 0, -1, false)
vim.api.nvim_win_close(floating(), true)

-- A code action, as the menu runs it. Before 0.8 neovim can't be asked to show a document: it is told where it is.
local titles = {}
vim.ui.select = function(items, options, choose)
  for _, item in ipairs(items) do
    local title = (item.action or item[2]).title
    table.insert(titles, title)
    if title:find("Show TTIR of clobber_kernel", 1, true) then
      choose(item)
    end
  end
end
vim.lsp.buf.code_action()
local function shown()
  local path = vim.fn.execute("messages"):match("triton%-ls wrote ([^\n]+)")
  if path == nil and vim.api.nvim_buf_get_name(0):find("clobber_kernel.ttir.mlir", 1, true) then
    path = vim.api.nvim_buf_get_name(0)
  end
  seen.ttir = path and vim.fn.readfile(path)
  return path
end
if not wait_for("the code action", shown) then
  return
end
seen.actions = titles
if vim.api.nvim_buf_get_name(0) ~= file then
  vim.cmd("buffer " .. file)
end

-- A command of the server's without any code of the client's.
local taken = vim.lsp.buf_request_sync(0, "workspace/executeCommand", {
  command = "triton-ls.resources",
  arguments = { vim.uri_from_bufnr(0), "copy_kernel" },
}, 60000)
seen.resources = taken[client].result

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
