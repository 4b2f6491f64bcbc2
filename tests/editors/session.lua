-- A session in Neovim with its own client, headless. Environment: HEADROOM, CONFIG (a copy that may be written).
local function fail(message)
  io.stderr:write('FAILED: ' .. message .. '\n')
  vim.cmd('cquit 1')
end

local function check(condition, message)
  if not condition then fail(message) end
end

local function wait(what, condition)
  check(vim.wait(30000, condition, 20), 'waited in vain: ' .. what)
end

local function run()
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.env.CONFIG))
  local buffer = vim.api.nvim_get_current_buf()
  local before = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local client = vim.lsp.start_client({name = 'headroom', cmd = {vim.env.HEADROOM, 'lsp'}, root_dir = vim.fn.getcwd()})
  check(client, 'the server does not start')
  vim.lsp.buf_attach_client(buffer, client)

  local function findings() return vim.diagnostic.get(buffer) end
  wait('findings', function() return #findings() > 0 end)
  print('findings: ' .. #findings())
  for _, d in ipairs(findings()) do check(d.source == 'headroom', 'source is ' .. tostring(d.source)) end

  -- hover on num_layers
  local row
  for i, line in ipairs(before) do
    if line:match('^  num_layers:') then row = i - 1 end
  end
  local place = {textDocument = vim.lsp.util.make_text_document_params(buffer), position = {line = row, character = 4}}
  local hover = vim.lsp.buf_request_sync(buffer, 'textDocument/hover', place, 10000)[client].result
  check(hover.contents.value:match('num_layers'), 'hover: ' .. vim.inspect(hover))

  -- completion in a line that is being typed
  vim.api.nvim_buf_set_lines(buffer, row + 1, row + 1, false, {'  recompute_gran'})
  place.position = {line = row + 1, character = 16}
  local items = vim.lsp.buf_request_sync(buffer, 'textDocument/completion', place, 10000)[client].result
  local words = vim.lsp.util.text_document_completion_list_to_complete_items(items, 'recompute_gran')
  check(words[1] and words[1].word:match('^recompute_granularity'), 'completion: ' .. vim.inspect(words[1]))
  vim.api.nvim_buf_set_lines(buffer, row + 1, row + 2, false, {})
  -- The server answers in order: once it has, what it said of earlier texts is here, too.
  local function settle()
    vim.lsp.buf_request_sync(buffer, 'textDocument/hover', place, 10000)
    vim.wait(300, function() return false end, 20)
  end
  settle()
  wait('findings after typing', function()
    local found = findings()
    return #found > 0 and found[1].user_data.lsp.code ~= nil -- no longer why the text cannot be read
  end)

  -- quick fixes, one after the other
  for _ = 1, 20 do
    local found = findings()
    if #found == 0 then break end
    local params = {
      textDocument = vim.lsp.util.make_text_document_params(buffer),
      range = {start = {line = found[1].lnum, character = 0}, ['end'] = {line = found[1].lnum, character = 0}},
      context = {diagnostics = {}, only = {'quickfix'}},
    }
    local actions = vim.lsp.buf_request_sync(buffer, 'textDocument/codeAction', params, 10000)[client].result
    check(#actions > 0, 'no fix for ' .. found[1].message)
    print('fix: ' .. actions[1].title)
    vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
    settle()
    wait('the finding to go', function() return #findings() < #found end)
  end
  check(#findings() == 0, 'findings are left')

  local after = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  local kept = {}
  for _, line in ipairs(after) do
    local comment = line:match('#.*$')
    if comment then kept[comment] = true end
  end
  for _, line in ipairs(before) do
    local comment = line:match('#.*$')
    if comment and not line:match('left over') then check(kept[comment], 'a comment is gone: ' .. comment) end
  end
  vim.cmd('silent write')
  vim.lsp.stop_client(client)
  wait('the server to end', function() return vim.lsp.client_is_stopped(client) end)
  print('clean')
end

local ok, message = pcall(run)
if not ok then fail(tostring(message)) end
vim.cmd('qall!')
